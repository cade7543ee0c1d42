/* An extension module of Python in plain C that hands tensors over through libwirecontract, for tests/python. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <wirecontract/tensor.h>

#define MOST_DIMENSIONS 8

/* Contexts that libwirecontract was given, and that it has ended; tensors of others that were taken, and ended. */
static atomic_long contexts;
static atomic_long destroyed;
static atomic_long disturbed;
static atomic_long held;

/* A tensor in memory of its own, or at an address that a test says. */
typedef struct {
    PyObject_HEAD
    unsigned char *memory;
    DLTensor tensor;
    int64_t shape[MOST_DIMENSIONS];
    int64_t strides[MOST_DIMENSIONS];
    uint64_t flags;
    void *stream;
    int by_context;
} Tensor;

/* Another library's tensor. */
typedef struct {
    PyObject_HEAD
    DLManagedTensorVersioned *managed;
} Taken;

static PyTypeObject *tensor_type;
static PyTypeObject *taken_type;

static void destroy(void *context)
{
    atomic_fetch_add(&destroyed, 1);
    /* Whatever it calls of Python's could not be called then. */
    if (PyGILState_Check() && PyErr_Occurred() != NULL) {
        atomic_fetch_add(&disturbed, 1);
    }
    free(context);
}

/* What an object offers. What is given holds the object; where the object says so, it ends a context as well. */
static wc_tensor_export offer(Tensor *self)
{
    wc_tensor_export offered;
    memset(&offered, 0, sizeof offered);
    offered.tensor = self->tensor;
    offered.flags = self->flags;
    offered.stream = self->stream;
    offered.owner = self;
    if (self->by_context) {
        offered.context = malloc(1);
        offered.destroy = destroy;
        atomic_fetch_add(&contexts, 1);
    }
    return offered;
}

static int numbers(PyObject *list, int64_t *to, int32_t *count)
{
    PyObject *items = PySequence_Fast(list, "expected a sequence of integers");
    if (items == NULL) {
        return -1;
    }
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(items);
    if (length > MOST_DIMENSIONS) {
        Py_DECREF(items);
        PyErr_SetString(PyExc_ValueError, "expected at most 8 dimensions");
        return -1;
    }
    for (Py_ssize_t at = 0; at < length; at++) {
        to[at] = PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items, at));
    }
    *count = (int32_t)length;
    Py_DECREF(items);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *tensor_new(PyTypeObject *type, PyObject *positional, PyObject *named)
{
    static char *names[] = {"shape", "strides", "code",   "bits",       "device", "address",
                            "flags", "stream",  "offset", "by_context", "ndim",   NULL};
    PyObject *shape;
    PyObject *strides = Py_None;
    int code = kDLFloat, bits = 32, by_context = 0, ndim = -2;
    int device_type = kDLCPU, device_id = 0;
    unsigned long long address = 0, flags = 0, stream = 0, offset = 0;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|Oii(ii)KKKKpi", names, &shape, &strides, &code, &bits,
                                     &device_type, &device_id, &address, &flags, &stream, &offset, &by_context,
                                     &ndim)) {
        return NULL;
    }
    Tensor *self = (Tensor *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    int32_t count = 0;
    if (numbers(shape, self->shape, &self->tensor.ndim) != 0 ||
        (strides != Py_None && numbers(strides, self->strides, &count) != 0)) {
        Py_DECREF(self);
        return NULL;
    }
    self->tensor.shape = self->shape;
    self->tensor.strides = strides == Py_None ? NULL : self->strides;
    if (ndim != -2) {
        self->tensor.ndim = ndim;
    }
    self->tensor.dtype.code = (uint8_t)code;
    self->tensor.dtype.bits = (uint8_t)bits;
    self->tensor.dtype.lanes = 1;
    self->tensor.device.device_type = device_type;
    self->tensor.device.device_id = device_id;
    self->tensor.byte_offset = offset;
    self->tensor.data = (void *)(uintptr_t)address;
    self->flags = flags;
    self->stream = (void *)(uintptr_t)stream;
    self->by_context = by_context;
    if (address == 0) {
        self->memory = malloc(4096);
        if (self->memory == NULL) {
            Py_DECREF(self);
            return PyErr_NoMemory();
        }
        for (int at = 0; at < 4096; at++) {
            self->memory[at] = (unsigned char)at;
        }
        self->tensor.data = self->memory;
    }
    return (PyObject *)self;
}

static void tensor_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    free(((Tensor *)object)->memory);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *tensor_dlpack(PyObject *object, PyObject *positional, PyObject *named)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = NULL, *max_version = NULL, *dl_device = NULL, *copy = NULL;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "|$OOOO", names, &stream, &max_version, &dl_device, &copy)) {
        return NULL;
    }
    const wc_tensor_request request = {stream, max_version, dl_device, copy};
    const wc_tensor_export offered = offer((Tensor *)object);
    void *capsule = NULL;
    wc_tensor_dlpack(&offered, &request, &capsule);
    return capsule;
}

static PyObject *tensor_dlpack_device(PyObject *object, PyObject *nothing)
{
    void *pair = NULL;
    (void)nothing;
    wc_tensor_dlpack_device(&((Tensor *)object)->tensor.device, &pair);
    return pair;
}

static PyObject *tensor_interface(PyObject *object, void *nothing)
{
    const wc_tensor_export offered = offer((Tensor *)object);
    void *dictionary = NULL;
    (void)nothing;
    wc_tensor_cuda_array_interface(&offered, &dictionary);
    return dictionary;
}

static PyObject *tensor_address(PyObject *object, void *nothing)
{
    (void)nothing;
    return PyLong_FromVoidPtr(((Tensor *)object)->tensor.data);
}

static PyObject *taken_of(DLManagedTensorVersioned *managed)
{
    Taken *taken = (Taken *)taken_type->tp_alloc(taken_type, 0);
    if (taken == NULL) {
        managed->deleter(managed);
        return NULL;
    }
    taken->managed = managed;
    atomic_fetch_add(&held, 1);
    return (PyObject *)taken;
}

static void taken_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    DLManagedTensorVersioned *managed = ((Taken *)object)->managed;
    if (managed != NULL) {
        managed->deleter(managed);
        atomic_fetch_sub(&held, 1);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *dimensions(const int64_t *of, int32_t count)
{
    PyObject *all = PyTuple_New(count);
    for (int32_t at = 0; all != NULL && at < count; at++) {
        PyObject *number = PyLong_FromLongLong(of[at]);
        if (number == NULL) {
            Py_CLEAR(all);
        } else {
            PyTuple_SET_ITEM(all, at, number);
        }
    }
    return all;
}

/* Address, shape, strides, type, device, flags and version, as what was taken says them. */
static PyObject *taken_said(PyObject *object, PyObject *nothing)
{
    const DLManagedTensorVersioned *managed = ((Taken *)object)->managed;
    const DLTensor *tensor = &managed->dl_tensor;
    (void)nothing;
    PyObject *shape = dimensions(tensor->shape, tensor->ndim);
    PyObject *strides = shape == NULL ? NULL : dimensions(tensor->strides, tensor->ndim);
    if (strides == NULL) {
        Py_XDECREF(shape);
        return NULL;
    }
    return Py_BuildValue("(KNN(iii)(ii)K(II)K)", (unsigned long long)(uintptr_t)tensor->data, shape, strides,
                         (int)tensor->dtype.code, (int)tensor->dtype.bits, (int)tensor->dtype.lanes,
                         (int)tensor->device.device_type, (int)tensor->device.device_id,
                         (unsigned long long)managed->flags, (unsigned)managed->version.major,
                         (unsigned)managed->version.minor, (unsigned long long)tensor->byte_offset);
}

static PyObject *take(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"object", "device", "copy", "stream", NULL};
    PyObject *object;
    int device_type = 0, device_id = 0;
    unsigned copy = WC_TENSOR_COPY_WHERE_NEEDED;
    long long stream = 0;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|(ii)IL", names, &object, &device_type, &device_id, &copy,
                                     &stream)) {
        return NULL;
    }
    wc_tensor_import asked;
    memset(&asked, 0, sizeof asked);
    asked.device.device_type = device_type;
    asked.device.device_id = device_id;
    asked.copy = copy;
    asked.stream = stream;
    DLManagedTensorVersioned *managed = NULL;
    return wc_tensor_take(object, &asked, &managed) == WC_STATUS_OK ? taken_of(managed) : NULL;
}

/* An array of the CUDA device of that number, and the stream that is pending on it. */
static PyObject *take_cuda_array(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    int device = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &object, &device)) {
        return NULL;
    }
    DLManagedTensorVersioned *managed = NULL;
    void *stream = NULL;
    if (wc_tensor_take_cuda_array(object, device, &managed, &stream) != WC_STATUS_OK) {
        return NULL;
    }
    PyObject *taken = taken_of(managed);
    return taken == NULL ? NULL : Py_BuildValue("(NK)", taken, (unsigned long long)(uintptr_t)stream);
}

/* What libwirecontract says of no object, whose exception stays. */
static PyObject *take_null(PyObject *module, PyObject *nothing)
{
    DLManagedTensorVersioned *managed = NULL;
    (void)module;
    (void)nothing;
    wc_tensor_take(NULL, NULL, &managed);
    return NULL;
}

/* The capsule of a table without functions. */
static PyObject *hollow_table(PyObject *module, PyObject *arguments)
{
    static DLPackExchangeAPI hollow;
    unsigned major = 0;
    void *capsule = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "I", &major)) {
        return NULL;
    }
    hollow.header.version.major = major;
    wc_tensor_exchange_capsule(&hollow, &capsule);
    return capsule;
}

static PyObject *counts(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return Py_BuildValue("(llll)", atomic_load(&contexts), atomic_load(&destroyed), atomic_load(&held),
                         atomic_load(&disturbed));
}

/* The exchange table of Tensor. */

static int exchange_allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *context,
                             void (*set_error)(void *context, const char *kind, const char *message))
{
    const wc_status status = wc_tensor_allocate(prototype, out);
    if (status == WC_STATUS_OK) {
        return 0;
    }
    wc_failure error;
    wc_last_error(&error);
    set_error(context, status == WC_STATUS_TOO_LARGE ? "MemoryError" : "BufferError", error.message);
    return -1;
}

/* Whether an object is a Tensor: another class may hand the table on. */
static int is_tensor(void *object)
{
    if (PyObject_TypeCheck((PyObject *)object, tensor_type)) {
        return 1;
    }
    PyErr_SetString(PyExc_TypeError, "expected a Tensor, found an object of another type");
    return 0;
}

static int exchange_from_object(void *object, DLManagedTensorVersioned **out)
{
    if (!is_tensor(object)) {
        return -1;
    }
    const wc_tensor_export offered = offer(object);
    return wc_tensor_managed(&offered, out) == WC_STATUS_OK ? 0 : -1;
}

static int exchange_to_object(DLManagedTensorVersioned *tensor, void **out)
{
    DLManagedTensorVersioned *checked = NULL;
    if (wc_tensor_checked(tensor, &checked) != WC_STATUS_OK) {
        return -1;
    }
    *out = taken_of(checked);
    return *out == NULL ? -1 : 0;
}

static int exchange_lend(void *object, DLTensor *out)
{
    if (!is_tensor(object)) {
        return -1;
    }
    wc_tensor_export offered = offer(object);
    return wc_tensor_lend(&offered, out) == WC_STATUS_OK ? 0 : -1;
}

static int exchange_stream(DLDeviceType device, int32_t number, void **out)
{
    (void)number;
    *out = NULL;
    if (device != kDLCPU) {
        PyErr_SetString(PyExc_BufferError, "expected host memory");
        return -1;
    }
    return 0;
}

static const DLPackExchangeAPI exchange_table = {
    .header = {.version = {.major = 1, .minor = 3}},
    .managed_tensor_allocator = exchange_allocate,
    .managed_tensor_from_py_object_no_sync = exchange_from_object,
    .managed_tensor_to_py_object_no_sync = exchange_to_object,
    .dltensor_from_py_object_no_sync = exchange_lend,
    .current_work_stream = exchange_stream,
};

/* CPython's own way to name a function of another prototype. */
#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef tensor_methods[] = {
    {"__dlpack__", METHOD(tensor_dlpack), METH_VARARGS | METH_KEYWORDS, "A capsule of the tensor."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "The device's type and number."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef tensor_attributes[] = {
    {"__cuda_array_interface__", tensor_interface, NULL, "The array of a CUDA device.", NULL},
    {"address", tensor_address, NULL, "Where the memory is.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_attributes},
    {0, NULL},
};

static PyType_Spec tensor_spec = {
    .name = "wirecontract_c_tensors.Tensor",
    .basicsize = sizeof(Tensor),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = tensor_slots,
};

static PyMethodDef taken_methods[] = {
    {"said", taken_said, METH_NOARGS, "What the tensor says."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot taken_slots[] = {
    {Py_tp_dealloc, taken_dealloc},
    {Py_tp_methods, taken_methods},
    {0, NULL},
};

static PyType_Spec taken_spec = {
    .name = "wirecontract_c_tensors.Taken",
    .basicsize = sizeof(Taken),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = taken_slots,
};

static PyMethodDef functions[] = {
    {"take", METHOD(take), METH_VARARGS | METH_KEYWORDS, "Takes a tensor of another library."},
    {"take_cuda_array", take_cuda_array, METH_VARARGS, "Takes an array of another library."},
    {"take_null", take_null, METH_NOARGS, "Takes the tensor of no object."},
    {"hollow_table", hollow_table, METH_VARARGS, "The capsule of a table without functions."},
    {"counts", counts, METH_NOARGS, "Contexts given, contexts ended, tensors held."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "wirecontract_c_tensors",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit_wirecontract_c_tensors(void)
{
    PyObject *module = PyModule_Create(&definition);
    void *capsule = NULL;
    if (module == NULL) {
        return NULL;
    }
    tensor_type = (PyTypeObject *)PyType_FromSpec(&tensor_spec);
    taken_type = (PyTypeObject *)PyType_FromSpec(&taken_spec);
    if (tensor_type != NULL && taken_type != NULL && PyModule_AddType(module, tensor_type) == 0 &&
        PyModule_AddType(module, taken_type) == 0 &&
        wc_tensor_exchange_capsule(&exchange_table, &capsule) == WC_STATUS_OK &&
        PyObject_SetAttrString((PyObject *)tensor_type, "__dlpack_c_exchange_api__", capsule) == 0) {
        Py_DECREF(capsule);
        return module;
    }
    Py_XDECREF((PyObject *)capsule);
    Py_DECREF(module);
    return NULL;
}
