// The launches of MoeTokenPermuteWithRoutingMapGrad: the gradient of the tokens, which takes two of
// them where rows are sorted first, then that of the probs where the call asks for it.
#pragma once

#include <utility>

#include "aclrtlaunch_moe_token_permute_with_routing_map_grad.h"
#include "moe_token_permute_with_routing_map_grad_interface.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"
#include "report.h"
#include "submission.h"
#include "tiling_upload.h"

namespace routing_map_grad {

class Launches {
public:
    using Tiling = MoeTokenPermuteWithRoutingMapGradTilingData;
    using Job = RoutingMapGradJob;

    Launches(entry::Call call, const Tiling& tiling, opapi::Plan* plan)
        : tiling_(tiling),
          dropAndPad_(call.Number("dropAndPad") != 0),
          wantsProbs_(call.Has(kProbs) && call.Has(kProbsGrad)),
          tilingOffset_(plan->Reserve(kJobs * opapi::kWorkspaceAlignment)),
          halfBytes_(dropAndPad_ ? tiling.sort.entries * kEntryBytes : 0),
          sortOffset_(plan->Reserve(2 * halfBytes_)),
          countsBytes_(wantsProbs_ && !dropAndPad_
                           ? tiling.mask.usedCores * tiling.mask.experts * kCountBytes
                           : 0),
          countsOffset_(plan->Reserve(countsBytes_)),
          submission_(OnlyUsed(std::move(call), wantsProbs_), plan) {}

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        const entry::Launch at = submission_.On(workspace, stream);
        aclnnStatus status = submission_.CopyIn(workspace, stream);
        if (status == ACLNN_SUCCESS) {
            status = dropAndPad_ ? AddSorted(at) : SumSlots(at);
        }
        if (status == ACLNN_SUCCESS && wantsProbs_) {
            status = dropAndPad_ ? Scatter(at) : ScatterMasked(at);
        }
        return status == ACLNN_SUCCESS ? submission_.CopyOut(workspace, stream) : status;
    }

private:
    static constexpr uint64_t kJobs = 3;        // launches of one call
    static constexpr uint64_t kEntryBytes = 8;  // of a sorted row number
    static constexpr uint64_t kCountBytes = 4;  // of the true places of an expert
    static_assert(sizeof(Tiling) <= opapi::kWorkspaceAlignment, "each launch has its own");

    // The call without the tensors that no launch touches.
    static entry::Call OnlyUsed(entry::Call call, bool wantsProbs) {
        for (const char* name : {kProbs, kMap, kProbsGrad}) {
            if (!wantsProbs) {
                call[name] = {};
            }
        }
        return call;
    }

    aclnnStatus SumSlots(const entry::Launch& at) const {
        Describe({kTokens, "sortedIndices", "tokensGradOut"}, at);
        return Launch({Job::SLOT_SUM, tiling_.rowCores, 0}, at[kTokens], at["sortedIndices"],
                      at["tokensGradOut"], nullptr, at);
    }

    aclnnStatus AddSorted(const entry::Launch& at) const {
        uint8_t* halves = at.workspace + sortOffset_;
        uint8_t* sorted = halves + (tiling_.sort.levels % 2 == 0 ? 0 : halfBytes_);
        Describe({"sortedIndices"}, at);
        opapi::DescribeWorkspace(halves, 2 * halfBytes_, "the sorted rows");
        const aclnnStatus status = Launch({Job::SORT, tiling_.sort.usedCores, 0}, nullptr,
                                          at["sortedIndices"], nullptr, halves, at);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        Describe({kTokens, "tokensGradOut"}, at);
        opapi::DescribeRegion(sorted, halfBytes_, "the sorted rows", /*writable=*/false);
        return Launch({Job::ADD_SORTED, tiling_.rowCores, 1}, at[kTokens], sorted,
                      at["tokensGradOut"], nullptr, at);
    }

    aclnnStatus Scatter(const entry::Launch& at) const {
        Describe({kProbs, "sortedIndices", kProbsGrad}, at);
        return Launch({Job::SCATTER, tiling_.scatter.usedCores, 2}, at[kProbs], at["sortedIndices"],
                      at[kProbsGrad], nullptr, at);
    }

    aclnnStatus ScatterMasked(const entry::Launch& at) const {
        uint8_t* counts = at.workspace + countsOffset_;
        Describe({kProbs, kMap, kProbsGrad}, at);
        opapi::DescribeWorkspace(counts, countsBytes_, "the counts of true places");
        return Launch({Job::MASKED_SCATTER, tiling_.mask.usedCores, 2}, at[kProbs], at[kMap],
                      at[kProbsGrad], counts, at);
    }

    void Describe(std::initializer_list<const char*> names, const entry::Launch& at) const {
        for (const char* name : names) {
            submission_.Describe(name, at.workspace);
        }
    }

    // `place`: where among the call's tilings this launch has its own.
    struct One {
        Job job;
        int64_t cores;
        uint64_t place;
    };

    aclnnStatus Launch(const One& one, void* source, void* names, void* output, void* scratch,
                       const entry::Launch& at) const {
        Tiling tiling = tiling_;
        tiling.job = one.job;
        uint8_t* onDevice = at.workspace + tilingOffset_ + one.place * opapi::kWorkspaceAlignment;
        const aclnnStatus status =
            opapi::UploadTiling(&tiling, sizeof(tiling), onDevice, at.stream);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        opapi::DescribeRegion(onDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_token_permute_with_routing_map_grad(
            static_cast<uint32_t>(one.cores), at.stream, source, names, output, scratch, onDevice);
        return opapi::Launched(submission_.phases().run, one.cores, launched);
    }

    Tiling tiling_;
    bool dropAndPad_;
    bool wantsProbs_;
    uint64_t tilingOffset_;
    uint64_t halfBytes_;  // of the sorted entries
    uint64_t sortOffset_;
    uint64_t countsBytes_;
    uint64_t countsOffset_;
    entry::Submission submission_;
};

}  // namespace routing_map_grad
