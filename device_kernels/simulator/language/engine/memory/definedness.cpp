// Whether undefined bytes escape: stored in an output, or read as a scalar.
#include "definedness.h"

#include <algorithm>
#include <string>

#include "../schedule/core.h"
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

// The origin of the first undefined byte that the instruction reads; false: it is not known.
bool OriginOfRead(const Core& core, uint32_t begin, Origin& origin) {
    for (size_t index = begin; index < core.operands.operands.size(); ++index) {
        const Elements read = ElementsOf(core.operands, index);
        bool found = false;
        for (const Bytes* piece = read.first; piece != read.behind; ++piece) {
            core.undefined.ForEachIn(piece->start, piece->end, [&](Bytes part) {
                found = found || (read.operand.access == Access::Read &&
                                  core.origins.Find(part.start, origin));
            });
        }
        if (found) {
            origin.computed = true;
            return true;
        }
    }
    return false;
}

void Remember(Core& core, Bytes bytes, const Origin* origin) {
    origin == nullptr ? core.origins.Forget(bytes) : core.origins.Add(bytes, *origin);
}

// Says of undefined bytes of UB where the byte at `ub` came from, and stops the kernel.
void Escaped(Code code, const Doer& doer, uint64_t ub, const std::string& what,
             const char* otherwise) {
    const Core& core = CurrentCore();
    Origin origin{};
    if (!core.origins.Find(ub, origin)) {
        Concern(code, {doer.where, doer.pipe, ub}, "%s, %s", what.c_str(), otherwise);
        return;
    }
    const Accessed copy{origin.operation, origin.where, "MTE2", core.blockIndex};
    Spot spot{doer.where, doer.pipe, ub, &copy};
    spot.advice = kWriteWorkspace;
    Concern(code, spot, "%s, %s byte %llu of %s, where nobody put a value: %s in line %u copied it",
            what.c_str(), origin.computed ? "computed from" : "read from",
            static_cast<unsigned long long>(origin.offset), origin.region, origin.operation,
            origin.where.line());
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
    Origin origin{};
    const bool known = any && OriginOfRead(core, begin, origin);
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
            if (any) {
                Remember(core, *piece, known ? &origin : nullptr);
            }
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
        CurrentCore().origins.Forget({ub, ub + bytes});
    }
}

bool IsUndefined(uint64_t ub, uint64_t bytes) {
    return CurrentCore().undefined.Meets(ub, ub + bytes);
}

void JudgeScalarRead(uint64_t ub, uint64_t bytes, const Doer& doer) {
    if (CurrentCore().undefined.Meets(ub, ub + bytes)) {
        const std::string what =
            std::string(doer.operation) + " of UB address " + std::to_string(ub);
        Escaped(Code::UninitialisedRead, doer, ub, what, "where nothing has put a value");
    }
}

void DefineByCopyIn(const void* global, uint64_t ub, uint64_t bytes, const Doer& doer) {
    Ranges& undefined = CurrentCore().undefined;
    undefined.Remove(ub, ub + bytes);
    const RegionShadow* region = ShadowAt(global);
    if (region == nullptr || region->role != Role::Workspace) {
        return;
    }
    const uint64_t offset = region->Offset(global);
    region->undefined.ForEachIn(offset, offset + bytes, [&](Bytes part) {
        const Bytes brought{ub + part.start - offset, ub + part.end - offset};
        undefined.Add(brought.start, brought.end);
        CurrentCore().origins.Add(
            brought, {doer.operation, doer.where, region->name.c_str(), part.start, false});
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
        const std::string what = std::string(doer.operation) + " stores UB addresses " +
                                 std::to_string(part.start) + " to " +
                                 std::to_string(part.end - 1) + " in an output";
        Escaped(Code::UninitialisedStore, doer, part.start, what,
                "which hold nothing that was copied or computed");
    });
}

}  // namespace ascendsim
