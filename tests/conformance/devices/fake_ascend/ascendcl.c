/* The least runtime that the device process needs: host memory, one stream, one error message.
 *
 * It stands in for libascendcl.so in tests of the device process, so that crash, hang and
 * exhaustion are tested without any kernel. The signatures are those of AscendCL.
 *
 * FAKE_DEVICES is the number of devices (1). FAKE_FAULT names a file with "DEVICE STATUS CALLS
 * [once]": on that device every synchronize from the CALLS-th on answers STATUS, with 0 CALLS
 * aclrtSetDevice too, which never returns for a negative STATUS; with "once" the file is removed
 * when it strikes. FAKE_PHYSICAL is what is added to a device's number to make its physical one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const uint64_t kSimulatedMemory = 8ull << 30;
static char g_message[256];
static char g_diagnostics[512];
static char g_soc[64] = "Ascend910B1";
static uint32_t g_cores = 48;
static int g_streamStatus = 0;

static int g_device = -1;
static int g_synchronized = 0;

EXPORT void fakeSetMessage(const char* text) { snprintf(g_message, sizeof g_message, "%s", text); }
EXPORT void fakeSetDiagnostics(const char* text) {
    snprintf(g_diagnostics, sizeof g_diagnostics, "%s", text);
}
/* ACL_OPT_DETERMINISTIC of the context, -1 until somebody sets it. */
static int64_t g_determinism = -1;
EXPORT int64_t fakeDeterminism(void) { return g_determinism; }
EXPORT int aclrtCtxSetSysParamOpt(int option, int64_t value) {
    g_determinism = option == 0 ? value : g_determinism;
    return 0;
}

EXPORT void fakeFailStream(int status) { g_streamStatus = status; }

static int deviceCount(void) {
    const char* count = getenv("FAKE_DEVICES");
    return count != NULL ? atoi(count) : 1;
}

/* The status of the fault that strikes `device` after so many calls, 0 for none. */
static int fault(int device, int calls) {
    const char* path = getenv("FAKE_FAULT");
    FILE* file = path != NULL ? fopen(path, "r") : NULL;
    int struck = -1, status = 0, after = 0;
    char once[8] = "";
    if (file == NULL) {
        return 0;
    }
    int read = fscanf(file, "%d %d %d %7s", &struck, &status, &after, once);
    fclose(file);
    if (read < 3 || struck != device || calls < after) {
        return 0;
    }
    if (strcmp(once, "once") == 0) {
        remove(path);
    }
    fakeSetMessage("struck by FAKE_FAULT");
    return status;
}

EXPORT int aclInit(const char* path) {
    (void)path;
    return 0;
}
EXPORT int aclFinalize(void) { return 0; }
EXPORT int aclrtGetDeviceCount(uint32_t* count) {
    *count = deviceCount();
    return 0;
}
EXPORT int aclrtSetDevice(int32_t device) {
    if (device < 0 || device >= deviceCount()) {
        return 107001;
    }
    g_device = device;
    int status = fault(device, 0);
    while (status < 0) {
        sleep(1);
    }
    return status;
}
EXPORT int aclrtResetDevice(int32_t device) { return device < deviceCount() ? 0 : 107001; }
EXPORT int aclrtGetPhyDevIdByLogicDevId(int32_t device, int32_t* physical) {
    const char* added = getenv("FAKE_PHYSICAL");
    *physical = device + (added != NULL ? atoi(added) : 0);
    return 0;
}
EXPORT const char* aclrtGetSocName(void) { return g_soc; }
EXPORT const char* aclGetRecentErrMsg(void) { return g_message[0] ? g_message : NULL; }

EXPORT int aclrtGetDeviceInfo(uint32_t device, int attribute, int64_t* value) {
    *value = g_cores;
    return (int)device < deviceCount() && attribute == 201 ? 0 : 107000;
}

EXPORT int aclrtMalloc(void** address, size_t bytes, int policy) {
    (void)policy;
    *address = bytes > kSimulatedMemory ? NULL : aligned_alloc(512, (bytes + 1023) / 512 * 512);
    if (*address == NULL) {
        fakeSetMessage("the device has no such memory");
        return 207001;
    }
    return 0;
}

EXPORT int aclrtFree(void* address) {
    free(address);
    return 0;
}

EXPORT int aclrtMemcpy(void* to, size_t limit, const void* from, size_t bytes, int kind) {
    if (bytes > limit || (kind != 1 && kind != 2)) {
        return 107000;
    }
    memcpy(to, from, bytes);
    return 0;
}

EXPORT int aclrtMemset(void* address, size_t limit, int32_t value, size_t bytes) {
    if (bytes > limit) {
        return 107000;
    }
    memset(address, value, bytes);
    return 0;
}

EXPORT int aclrtCreateStream(void** stream) {
    static int only;
    *stream = &only;
    return 0;
}
EXPORT int aclrtDestroyStream(void* stream) { return stream == NULL ? 107000 : 0; }

EXPORT int aclrtSynchronizeStream(void* stream) {
    (void)stream; /* null: the default one */
    int status = g_streamStatus;
    g_streamStatus = 0;
    if (status == 0) {
        status = fault(g_device, ++g_synchronized);
    }
    return status;
}

EXPORT int ascendsimConfigure(const char* soc, uint32_t cores, uint64_t ubBytes) {
    (void)ubBytes;
    if (soc != NULL && strncmp(soc, "Ascend", 6) != 0) {
        fakeSetMessage("known SoCs begin with Ascend");
        return 100000;
    }
    snprintf(g_soc, sizeof g_soc, "%s", soc != NULL ? soc : "Ascend910B1");
    g_cores = cores != 0 ? cores : 48;
    return 0;
}
EXPORT int ascendsimBlockOrder(const char* order) { return order == NULL; }
EXPORT int ascendsimFunctions(const char* name) { return name == NULL; }
EXPORT uint32_t ascendsimVectorCores(void) { return g_cores; }
EXPORT uint64_t ascendsimUbBytes(void) { return 196352; }

EXPORT uint64_t ascendsimTakeDiagnostics(char* buffer, uint64_t capacity) {
    const char* text = g_diagnostics[0] ? g_diagnostics : "[]";
    uint64_t need = strlen(text);
    if (need <= capacity) {
        memcpy(buffer, text, need);
        g_diagnostics[0] = 0;
    }
    return need;
}
