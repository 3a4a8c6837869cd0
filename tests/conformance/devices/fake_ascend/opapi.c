/* Two-phase operators that add an attribute to a tensor, each misbehaving in its own way.
 *
 * All have one signature: (const aclTensor* x, int64_t addend, const aclTensor* y), int32 tensors,
 * y = x + addend. What an operator does besides is the last argument of OPERATOR below.
 * FakeMixed has integers and floating-point numbers among each other, more than registers have
 * room for, and answers with their bits.
 * FakeAddArray has an aclIntArray in place of the addend, and adds its sum; a null one adds -1.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern void fakeSetMessage(const char* text);
extern void fakeSetDiagnostics(const char* text);
extern void fakeFailStream(int status);
extern int64_t fakeDeterminism(void);
extern uint32_t ascendsimVectorCores(void);

typedef struct {
    int64_t size;
    int32_t* data;
    uint64_t rank;
    int64_t shape[4];
    int64_t strides[4];
    int64_t stored; /* elements of the storage */
    int64_t offset; /* of them, before the first */
    int dtype;
} Tensor;

typedef struct {
    const Tensor* x;
    int64_t addend;
    const Tensor* y;
    char* workspace;
} Plan;

/* Two: a call may be planned while another one is under way. */
static Plan g_plans[2];
static int g_planned;

static int64_t bytesOf(int dtype) {
    const int one[] = {2, 4, 12}, two[] = {1, 6, 7, 27}, eight[] = {9, 10, 11};
    for (int i = 0; i < 4; i++) {
        if (dtype == two[i]) return 2;
        if (i < 3 && dtype == one[i]) return 1;
        if (i < 3 && dtype == eight[i]) return 8;
    }
    return 4;
}

EXPORT Tensor* aclCreateTensor(const int64_t* shape, uint64_t rank, int dtype,
                               const int64_t* strides, int64_t offset, int format,
                               const int64_t* storage, uint64_t storageRank, void* data) {
    (void)format;
    const int64_t bytes = offset * bytesOf(dtype);
    Tensor* tensor = malloc(sizeof *tensor);
    *tensor = (Tensor){.size = 1, .rank = rank, .stored = 1, .offset = offset, .dtype = dtype};
    tensor->data = (int32_t*)(void*)((char*)data + bytes);
    for (uint64_t axis = 0; axis < rank; axis++) {
        tensor->size *= shape[axis];
        tensor->shape[axis & 3] = shape[axis];
        tensor->strides[axis & 3] = strides[axis];
    }
    for (uint64_t axis = 0; axis < storageRank; axis++) {
        tensor->stored *= storage[axis];
    }
    return tensor;
}

EXPORT int aclDestroyTensor(const Tensor* tensor) {
    free((void*)tensor);
    return 0;
}

typedef struct {
    uint64_t size;
    int64_t values[];
} IntArray;

static int64_t g_arrays;

EXPORT IntArray* aclCreateIntArray(const int64_t* values, uint64_t size) {
    IntArray* array = malloc(sizeof *array + size * sizeof *values);
    array->size = size;
    memcpy(array->values, values, size * sizeof *values);
    g_arrays++;
    return array;
}

EXPORT int aclDestroyIntArray(const IntArray* array) {
    free((void*)array);
    g_arrays--;
    return 0;
}

static void add(const Plan* plan, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        plan->y->data[i] = plan->x->data[i] + (int32_t)plan->addend;
    }
}

static int plan(const Tensor* x, int64_t addend, const Tensor* y, uint64_t* bytes, void** executor,
                uint64_t workspaceBytes) {
    if (x == NULL || y == NULL) {
        fakeSetMessage("x and y must not be null");
        return 161001;
    }
    Plan* made = &g_plans[++g_planned % 2];
    *made = (Plan){x, addend, y, NULL};
    *bytes = workspaceBytes;
    *executor = made;
    return 0;
}

#define OPERATOR(NAME, WORKSPACE, BODY)                                                        \
    EXPORT int aclnn##NAME##GetWorkspaceSize(const Tensor* x, int64_t addend, const Tensor* y, \
                                             uint64_t* bytes, void** executor) {               \
        return plan(x, addend, y, bytes, executor, WORKSPACE);                                 \
    }                                                                                          \
    EXPORT int aclnn##NAME(void* workspace, uint64_t bytes, void* executor, void* stream) {    \
        Plan* p = executor;                                                                    \
        (void)bytes, (void)stream;                                                             \
        p->workspace = workspace;                                                              \
        add(p, p->y->size);                                                                    \
        BODY;                                                                                  \
        return 0;                                                                              \
    }

OPERATOR(FakeAdd, 0, )
OPERATOR(FakeWriteAfter, 0, p->y->data[p->y->size + 2] = 7)
OPERATOR(FakeWriteBefore, 0, memset(p->y->data - 1, p->y->data[-1] == 0, 4))
OPERATOR(FakeWorkspace, 1000, memset(p->workspace, 0, 1001))
OPERATOR(FakeWorkspaceCount, 1000,
         for (int64_t i = 0; i < p->y->size; i++) p->y->data[i] = ((unsigned char*)p->workspace)[i])
OPERATOR(FakeWorkspaceCopy, 1000, memcpy(p->y->data, p->workspace, 8))
OPERATOR(FakeHugeWorkspace, 1ull << 60, )
OPERATOR(FakeCrash, 0, fputs("about to crash\n", stderr); *(volatile int*)8 = 1)
OPERATOR(FakeExit, 0, exit(3))
OPERATOR(FakeHang, 0, for (;;) sleep(1))
OPERATOR(FakeSpin, 0, for (volatile int i = 0;; i++))
OPERATOR(FakeEat, 0, for (;;) memset(malloc(1 << 20), 1, 1 << 20))
OPERATOR(FakeBadAlloc, 0, fputs("what():  std::bad_alloc\n", stderr); abort())
OPERATOR(FakeChangeInput, 0, p->x->data[0]++)
OPERATOR(FakeWriteAfterInput, 0, p->x->data[p->x->size]++)
OPERATOR(FakeKernelFault, 0, fakeSetMessage("kernel exception"); fakeFailStream(507015))
OPERATOR(FakeLoseCard, 0, fakeFailStream(507010))
OPERATOR(FakeFail, 0, fakeSetMessage("launch failed"); return 361001)
OPERATOR(FakePrint, 0, printf("printed by the operator\n"); fflush(stdout))
OPERATOR(FakePid, 0, p->y->data[0] = getpid())
OPERATOR(FakeParent, 0, p->y->data[0] = getppid())
OPERATOR(FakeAlignment, 0, p->y->data[0] = (int32_t)((uintptr_t)p->y->data % 4096))
OPERATOR(FakeCores, 0, p->y->data[0] = (int32_t)ascendsimVectorCores())
OPERATOR(FakeDeterminism, 0, p->y->data[0] = (int32_t)fakeDeterminism())
OPERATOR(FakeEnvironment, 0,
         p->y->data[0] = (getenv("ASCEND_HOME_PATH") != NULL) + (getenv("LD_LIBRARY_PATH") != NULL))
OPERATOR(FakeLiveArrays, 0, p->y->data[0] = (int32_t)g_arrays)
OPERATOR(FakeDiagnose, 0,
         fakeSetDiagnostics("[{\"code\": \"gm-out-of-bounds\", \"severity\": \"error\","
                            " \"message\": \"row 7 of y\", \"line\": 12, \"block\": 3,"
                            " \"address\": 18446744073709551615}]"))

EXPORT int aclnnFakeAddArrayGetWorkspaceSize(const Tensor* x, const IntArray* addends,
                                             const Tensor* y, uint64_t* bytes, void** executor) {
    int64_t sum = addends == NULL ? -1 : 0;
    for (uint64_t i = 0; addends != NULL && i < addends->size; i++) {
        sum += addends->values[i];
    }
    return plan(x, sum, y, bytes, executor, 0);
}
EXPORT int aclnnFakeAddArray(void* workspace, uint64_t bytes, void* executor, void* stream) {
    (void)workspace, (void)bytes, (void)stream;
    add(executor, ((Plan*)executor)->y->size);
    return 0;
}

static double g_reals[10];
static int64_t g_numbers[3];

EXPORT int aclnnFakeMixedGetWorkspaceSize(double a, const Tensor* x, int64_t first, double b,
                                          double c, bool flag, double d, double e, double f,
                                          double g, double h, double i, int64_t last, double j,
                                          const Tensor* y, uint64_t* bytes, void** executor) {
    const double reals[10] = {a, b, c, d, e, f, g, h, i, j};
    memcpy(g_reals, reals, sizeof reals);
    g_numbers[0] = first, g_numbers[1] = flag, g_numbers[2] = last;
    return plan(x, 0, y, bytes, executor, 0);
}
EXPORT int aclnnFakeMixed(void* workspace, uint64_t bytes, void* executor, void* stream) {
    (void)workspace, (void)bytes, (void)stream;
    char* to = (char*)((Plan*)executor)->y->data;
    memcpy(to, g_reals, sizeof g_reals);
    memcpy(to + sizeof g_reals, g_numbers, sizeof g_numbers);
    return 0;
}

/* The same as a kernel entry, which takes plain numbers: it never sees an aclIntArray. */
EXPORT int kernelFakeAddArrayGetWorkspaceSize(const Tensor* x, const int64_t* addends,
                                              uint64_t count, const Tensor* y, uint64_t* bytes,
                                              void** executor) {
    int64_t sum = addends == NULL ? -1 - (int64_t)count : 0;
    for (uint64_t i = 0; addends != NULL && i < count; i++) {
        sum += addends[i];
    }
    return plan(x, sum, y, bytes, executor, 0);
}
EXPORT int kernelFakeAddArray(void* workspace, uint64_t bytes, void* executor, void* stream) {
    return aclnnFakeAddArray(workspace, bytes, executor, stream);
}

EXPORT int aclnnFakeUnwrittenGetWorkspaceSize(const Tensor* x, int64_t addend, const Tensor* y,
                                              uint64_t* bytes, void** executor) {
    return plan(x, addend, y, bytes, executor, 0);
}
EXPORT int aclnnFakeUnwritten(void* workspace, uint64_t bytes, void* executor, void* stream) {
    (void)workspace, (void)bytes, (void)stream;
    add(executor, ((Plan*)executor)->y->size - 3);
    return 0;
}

/* Where y has elements: whether x has an address; else writes to y where it has one. */
EXPORT int aclnnFakeAddressGetWorkspaceSize(const Tensor* x, int64_t addend, const Tensor* y,
                                            uint64_t* bytes, void** executor) {
    return plan(x, addend, y, bytes, executor, 0);
}
EXPORT int aclnnFakeAddress(void* workspace, uint64_t bytes, void* executor, void* stream) {
    const Plan* p = executor;
    (void)workspace, (void)bytes, (void)stream;
    if (p->y->size > 0 || p->y->data != NULL) {
        p->y->data[0] = p->x->data != NULL;
    }
    return 0;
}

/* Writes to y, whether it has elements or not. */
EXPORT int aclnnFakeWriteEmptyGetWorkspaceSize(const Tensor* x, int64_t addend, const Tensor* y,
                                               uint64_t* bytes, void** executor) {
    return plan(x, addend, y, bytes, executor, 0);
}
EXPORT int aclnnFakeWriteEmpty(void* workspace, uint64_t bytes, void* executor, void* stream) {
    (void)workspace, (void)bytes, (void)stream;
    *(volatile int32_t*)((Plan*)executor)->y->data = 7;
    return 0;
}

/* Moves the rows of x [rows, columns] to those of y, of any dtype and strides, and leaves the last
 * `addend` elements of y as they are. A negative addend counts the calls in place of the first
 * element.
 */
static int64_t g_moves;

static void move(const Plan* p) {
    const int64_t size = bytesOf(p->y->dtype), columns = p->y->shape[1];
    g_moves++;
    for (int64_t at = 0; at < p->y->size - (p->addend > 0 ? p->addend : 0); at++) {
        const int64_t row = at / columns, column = at % columns;
        const int64_t from = row * p->x->strides[0] + column * p->x->strides[1];
        const int64_t to = row * p->y->strides[0] + column * p->y->strides[1];
        memcpy((char*)p->y->data + to * size, (char*)p->x->data + from * size, (size_t)size);
    }
    if (p->addend < 0) {
        memcpy(p->y->data, &g_moves, (size_t)size);
    }
}

#define MOVE(NAME, BODY)                                                                       \
    EXPORT int aclnn##NAME##GetWorkspaceSize(const Tensor* x, int64_t addend, const Tensor* y, \
                                             uint64_t* bytes, void** executor) {               \
        return plan(x, addend, y, bytes, executor, 0);                                         \
    }                                                                                          \
    EXPORT int aclnn##NAME(void* workspace, uint64_t bytes, void* executor, void* stream) {    \
        Plan* p = executor;                                                                    \
        (void)workspace, (void)bytes, (void)stream;                                            \
        move(p);                                                                               \
        BODY;                                                                                  \
        return 0;                                                                              \
    }

MOVE(FakeMove, )
MOVE(FakeMoveGap, memcpy(p->y->data, (char*)p->x->data + p->x->shape[1] * bytesOf(p->x->dtype),
                         (size_t)(2 * bytesOf(p->y->dtype))))
MOVE(FakeMoveBehind, memcpy(p->y->data, (char*)p->x->data + p->x->size * bytesOf(p->x->dtype),
                            (size_t)(2 * bytesOf(p->y->dtype))))
MOVE(FakeMoveOnce, if (g_moves % 2 == 0) abort())

/* Refuses every call with the status of a failed tiling; writes an output only if addend is 1. */
EXPORT int aclnnFakeRefuseGetWorkspaceSize(const Tensor* x, int64_t addend, const Tensor* y,
                                           uint64_t* bytes, void** executor) {
    (void)x, (void)bytes, (void)executor;
    if (addend == 1) {
        y->data[0] = 1;
    }
    fakeSetMessage("addend must be 0");
    return 561002;
}
EXPORT int aclnnFakeRefuse(void* workspace, uint64_t bytes, void* executor, void* stream) {
    (void)workspace, (void)bytes, (void)executor, (void)stream;
    abort();
}

/* Rows of an int8 or bool tensor x, counted where they are not 0, into a view y of int32 [rows, 1]
 * of any strides; with `shout`, in tens. Without weights each counts 1. A bool attribute, a tensor
 * that may be absent and an output that may be: rows without any element go to `empty`, int8
 * [rows].
 */
typedef struct {
    const Tensor *x, *weights, *y, *empty;
    int shout, gap;
} Count;

static Count g_counts[2];
static int g_counted;

static int planCount(const Tensor* x, const Tensor* weights, int shout, const Tensor* y,
                     const Tensor* empty, int gap, uint64_t* bytes, void** executor) {
    if (x == NULL || y == NULL || (shout != 0 && shout != 1)) {
        return 161001;
    }
    if ((x->dtype != 2 && x->dtype != 12) || y->stored < y->offset + y->size) {
        return 161002;
    }
    Count* made = &g_counts[++g_counted % 2];
    *made = (Count){x, weights, y, empty, shout, gap};
    *bytes = 0;
    *executor = made;
    return 0;
}

static int count(const Count* call) {
    const int8_t* x = (const int8_t*)call->x->data;
    int64_t columns = call->x->shape[1];
    for (int64_t row = 0; row < call->x->shape[0]; row++) {
        int32_t found = 0;
        for (int64_t at = 0; at < columns; at++) {
            int8_t element = x[row * call->x->strides[0] + at * call->x->strides[1]];
            found += element == 0 ? 0 : call->weights != NULL ? call->weights->data[at] : 1;
        }
        call->y->data[row * call->y->strides[0]] = found * (call->shout ? 10 : 1);
        if (call->empty != NULL) {
            ((int8_t*)call->empty->data)[row] = found == 0;
        }
    }
    if (call->gap) {
        call->y->data[call->gap] = 7; /* where no row lies, if the view has such a place */
    }
    return 0;
}

#define COUNT(NAME, GAP)                                                                          \
    EXPORT int aclnn##NAME##GetWorkspaceSize(const Tensor* x, const Tensor* weights, _Bool shout, \
                                             const Tensor* y, const Tensor* empty,                \
                                             uint64_t* bytes, void** executor) {                  \
        return planCount(x, weights, shout, y, empty, GAP, bytes, executor);                      \
    }                                                                                             \
    EXPORT int aclnn##NAME(void* workspace, uint64_t bytes, void* executor, void* stream) {       \
        (void)workspace, (void)bytes, (void)stream;                                               \
        return count(executor);                                                                   \
    }

COUNT(FakeCount, 0)
COUNT(FakeCountInGap, 1)
COUNT(FakeCountBefore, -1)
COUNT(FakeCountBehind, 3)

EXPORT int64_t FakeAddTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                  uint64_t ubBytes, int64_t hidden) {
    (void)axis, (void)dtype, (void)cores, (void)ubBytes, (void)hidden;
    return 100 * topK;
}
EXPORT int64_t FakeCrashTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                    uint64_t ubBytes, int64_t hidden) {
    (void)axis, (void)topK, (void)dtype, (void)cores, (void)ubBytes, (void)hidden;
    return *(volatile int*)8;
}
