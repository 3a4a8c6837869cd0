// Phase 1's checks on data types, formats and layouts, with one sentence each.
#pragma once

#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "tensor_view.h"

namespace opapi {

/// 161002 with a text that names function, parameter, value, rule and the rule's source.
aclnnStatus Invalid(const char* function, const TensorView& tensor, const char* what, int64_t value,
                    const std::string& rule, const char* source);

/// 161002, with a text for the first in question, where the format of a tensor that is there says
/// that its elements lie elsewhere than shape and strides say.
aclnnStatus CheckFormats(const char* function, const std::vector<const TensorView*>& tensors,
                         const char* source);

/// CheckLayout of each that is there.
aclnnStatus CheckLayouts(const char* function, const std::vector<const TensorView*>& tensors);

/// 161002, with a text for the first in question, where the elements of a tensor that is there do
/// not lie in C order without gaps.
aclnnStatus CheckDense(const char* function, const std::vector<const TensorView*>& tensors);

/// Whether it is fp32, fp16 or bf16.
bool IsFloating(aclDataType dtype);

}  // namespace opapi
