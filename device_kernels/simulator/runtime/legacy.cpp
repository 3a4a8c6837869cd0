// The path of operators before aclnn: descriptions, attributes, and one call that compiles and
// runs. A caller that finds no aclnn function falls back to it. Nothing is compiled here: what is
// asked for is described, so that the refusal can name it.

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "errors.h"

struct aclTensorDesc {
    aclDataType type;
    aclFormat format;
    std::vector<int64_t> dims;
    std::string name;
};

struct aclDataBuffer {
    void* data;
    size_t bytes;
};

struct aclopAttr {};

namespace {

aclError NoDescription(const char* function) { return ascendsim::NullArgument(function, "desc"); }

aclError Attribute(const char* function, const aclopAttr* attr) {
    return attr == nullptr ? ascendsim::NullArgument(function, "attr") : ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format) {
    if (numDims < 0 || (numDims > 0 && dims == nullptr)) {
        ascendsim::Fail(ACL_ERROR_INVALID_PARAM,
                        "aclCreateTensorDesc: numDims is " + std::to_string(numDims) +
                            "; it must not be negative, and dims must be there");
        return nullptr;
    }
    return new aclTensorDesc{dataType, format, std::vector<int64_t>(dims, dims + numDims), ""};
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) { delete desc; }

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat) {
    return desc == nullptr ? NoDescription("aclSetTensorFormat") : ACL_SUCCESS;
}

aclError aclSetTensorShape(aclTensorDesc* desc, int, const int64_t*) {
    return desc == nullptr ? NoDescription("aclSetTensorShape") : ACL_SUCCESS;
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, int) {
    return desc == nullptr ? NoDescription("aclSetTensorPlaceMent") : ACL_SUCCESS;
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (desc != nullptr && name != nullptr) {
        desc->name = name;
    }
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
    return desc == nullptr ? ACL_DT_UNDEFINED : desc->type;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
    return desc == nullptr ? ACL_FORMAT_UNDEFINED : desc->format;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
    return desc == nullptr ? 0 : desc->dims.size();
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    if (desc == nullptr || dimSize == nullptr || index >= desc->dims.size()) {
        return ascendsim::Fail(ACL_ERROR_INVALID_PARAM,
                               "aclGetTensorDescDimV2: index is " + std::to_string(index) +
                                   "; the tensor has fewer dimensions, or there is none");
    }
    *dimSize = desc->dims[index];
    return ACL_SUCCESS;
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
    return new aclDataBuffer{data, size};
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
    delete dataBuffer;
    return ACL_SUCCESS;
}

aclopAttr* aclopCreateAttr() { return new aclopAttr; }

void aclopDestroyAttr(const aclopAttr* attr) { delete attr; }

aclError aclopSetAttrBool(aclopAttr* attr, const char*, uint8_t) {
    return Attribute("aclopSetAttrBool", attr);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char*, int64_t) {
    return Attribute("aclopSetAttrInt", attr);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char*, float) {
    return Attribute("aclopSetAttrFloat", attr);
}

aclError aclopSetAttrString(aclopAttr* attr, const char*, const char*) {
    return Attribute("aclopSetAttrString", attr);
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char*, aclDataType) {
    return Attribute("aclopSetAttrDataType", attr);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char*, int, const uint8_t*) {
    return Attribute("aclopSetAttrListBool", attr);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char*, int, const int64_t*) {
    return Attribute("aclopSetAttrListInt", attr);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char*, int, const float*) {
    return Attribute("aclopSetAttrListFloat", attr);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char*, int, const int*,
                                 const int64_t* const*) {
    return Attribute("aclopSetAttrListListInt", attr);
}

aclError aclSetCompileopt(aclCompileOpt, const char* value) {
    return value == nullptr ? ascendsim::NullArgument("aclSetCompileopt", "value") : ACL_SUCCESS;
}

aclError aclopCompileAndExecute(const char* opType, int, const aclTensorDesc* const*,
                                const aclDataBuffer* const*, int, const aclTensorDesc* const*,
                                aclDataBuffer* const*, const aclopAttr*, aclopEngineType,
                                aclopCompileType, const char*, aclrtStream) {
    return ascendsim::Fail(ACL_ERROR_OP_NOT_FOUND,
                           std::string("aclopCompileAndExecute: opType is \"") +
                               (opType == nullptr ? "" : opType) +
                               "\"; the simulated device compiles no operator, it has those of "
                               "libopapi.so");
}
}
