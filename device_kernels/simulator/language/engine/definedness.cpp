#include "definedness.h"

#include <algorithm>

#include "core.h"
#include "global_memory.h"

namespace ascendsim {
namespace {

// The elements of an operand, numbered in the order of its pieces.
struct Elements {
    const Operand& operand;
    const Bytes* first;
    const Bytes* behind;

    uint64_t Count() const {
        uint64_t bytes = 0;
        for (const Bytes* piece = first; piece != behind; ++piece) {
            bytes += piece->end - piece->start;
        }
        return (bytes + operand.elementBytes - 1) / operand.elementBytes;
    }

    // Adds the numbers of the elements that have a byte in `undefined`.
    void Collect(const Ranges& undefined, Ranges& numbers) const {
        uint64_t passed = 0;
        for (const Bytes* piece = first; piece != behind; ++piece) {
            undefined.ForEachIn(piece->start, piece->end, [&](Bytes part) {
                const uint64_t from = passed + part.start - piece->start;
                const uint64_t to = passed + part.end - piece->start;
                numbers.Add(from / operand.elementBytes,
                            (to + operand.elementBytes - 1) / operand.elementBytes);
            });
            passed += piece->end - piece->start;
        }
    }

    // Adds the bytes of the elements of these numbers to `undefined`.
    void Mark(const Ranges& numbers, Ranges& undefined) const {
        uint64_t passed = 0;
        for (const Bytes* piece = first; piece != behind; ++piece) {
            const uint64_t unit = operand.elementBytes;
            const uint64_t behind = passed + piece->end - piece->start;
            numbers.ForEachIn(passed / unit, (behind + unit - 1) / unit, [&](Bytes part) {
                // A piece may begin or end inside an element that goes on in another piece.
                const uint64_t from = std::max(part.start * unit, passed);
                const uint64_t to = std::min(part.end * unit, behind);
                undefined.Add(piece->start + from - passed, piece->start + to - passed);
            });
            passed = behind;
        }
    }
};

Elements ElementsOf(const Operands& declared, size_t index) {
    const bool last = index + 1 == declared.operands.size();
    const size_t behind = last ? declared.pieces.size() : declared.operands[index + 1].firstPiece;
    const Bytes* pieces = declared.pieces.data();
    const Operand& operand = declared.operands[index];
    return {operand, pieces + operand.firstPiece, pieces + behind};
}

bool ReadsUndefined(const Core& core, uint32_t begin) {
    const Operands& declared = core.operands;
    for (size_t index = begin; index < declared.operands.size(); ++index) {
        const Elements read = ElementsOf(declared, index);
        if (read.operand.access != Access::Read) {
            continue;
        }
        for (const Bytes* piece = read.first; piece != read.behind; ++piece) {
            if (core.undefined.Meets(piece->start, piece->end)) {
                return true;
            }
        }
    }
    return false;
}

// The numbers of the elements of `written` that depend on an undefined byte.
Ranges UndefinedOf(const Core& core, uint32_t begin, const Elements& written) {
    Ranges numbers;
    const uint64_t count = written.Count();
    for (size_t index = begin; index < core.operands.operands.size(); ++index) {
        const Elements read = ElementsOf(core.operands, index);
        if (read.operand.access != Access::Read) {
            continue;
        }
        Ranges own;
        read.Collect(core.undefined, own);
        if (read.Count() == count) {
            own.ForEachIn(0, count, [&](Bytes part) { numbers.Add(part.start, part.end); });
        } else if (own.Meets(0, ~uint64_t{0})) {
            numbers.Add(0, count);
        }
    }
    return numbers;
}

}  // namespace

void PropagateDefinedness(Core& core, uint32_t begin) {
    const Operands& declared = core.operands;
    const bool any = ReadsUndefined(core, begin);
    // An instruction may write over its operands: what they held is looked at first.
    std::vector<Ranges> numbers(any ? declared.operands.size() - begin : 0);
    for (size_t index = begin; any && index < declared.operands.size(); ++index) {
        if (declared.operands[index].access != Access::Read) {
            numbers[index - begin] = UndefinedOf(core, begin, ElementsOf(declared, index));
        }
    }
    for (size_t index = begin; index < declared.operands.size(); ++index) {
        const Elements written = ElementsOf(declared, index);
        if (written.operand.access == Access::Read) {
            continue;
        }
        for (const Bytes* piece = written.first; piece != written.behind; ++piece) {
            core.undefined.Remove(piece->start, piece->end);
        }
        if (any) {
            written.Mark(numbers[index - begin], core.undefined);
        }
    }
}

void MarkDefined(uint64_t ub, uint64_t bytes) { CurrentCore().undefined.Remove(ub, ub + bytes); }

void MarkUndefined(uint64_t ub, uint64_t bytes) {
    if (bytes != 0) {
        CurrentCore().undefined.Add(ub, ub + bytes);
    }
}

void JudgeScalarRead(uint64_t ub, uint64_t bytes, const Doer& doer) {
    if (CurrentCore().undefined.Meets(ub, ub + bytes)) {
        Concern(Code::UninitialisedRead, {doer.where, doer.pipe, ub},
                "%s of UB address %llu, where nothing has put a value", doer.operation,
                static_cast<unsigned long long>(ub));
    }
}

void DefineByCopyIn(const void* global, uint64_t ub, uint64_t bytes) {
    Ranges& undefined = CurrentCore().undefined;
    undefined.Remove(ub, ub + bytes);
    const RegionShadow* region = ShadowAt(global);
    if (region == nullptr || region->role != Role::Workspace) {
        return;
    }
    const uint64_t offset = region->Offset(global);
    region->undefined.ForEachIn(offset, offset + bytes, [&](Bytes part) {
        undefined.Add(ub + part.start - offset, ub + part.end - offset);
    });
}

void DefineGlobal(const void* global, uint64_t bytes) {
    if (RegionShadow* region = ShadowAt(global)) {
        const uint64_t offset = region->Offset(global);
        region->undefined.Remove(offset, offset + bytes);
    }
}

void JudgeCopyOut(const void* global, uint64_t ub, uint64_t bytes, Access access,
                  const Doer& doer) {
    const Ranges& undefined = CurrentCore().undefined;
    RegionShadow* region = ShadowAt(global);
    if (region != nullptr && region->role == Role::Workspace) {
        const uint64_t offset = region->Offset(global);
        if (access == Access::Write) {
            region->undefined.Remove(offset, offset + bytes);
        }
        undefined.ForEachIn(ub, ub + bytes, [&](Bytes part) {
            region->undefined.Add(offset + part.start - ub, offset + part.end - ub);
        });
        return;
    }
    undefined.ForEachIn(ub, ub + bytes, [&](Bytes part) {
        Concern(Code::UninitialisedStore, {doer.where, doer.pipe, part.start},
                "%s stores UB addresses %llu to %llu in an output, which hold nothing that was "
                "copied or computed",
                doer.operation, static_cast<unsigned long long>(part.start),
                static_cast<unsigned long long>(part.end - 1));
    });
}

}  // namespace ascendsim
