/* Functions of the types that the header declares: a compiler that warns of another type fails the test. */

#include <wirecontract/tensor.h>
#ifdef __cplusplus
#include <wirecontract/tensor.hpp>
#endif

static int64_t shape[2] = {3, 4};
static int deleted;

static void delete_tensor(DLManagedTensor *self)
{
    deleted += self->dl_tensor.ndim;
}

static int get_schema(ArrowArrayStream *self, ArrowSchema *out)
{
    out->private_data = self->private_data;
    return 7;
}

static const char *get_last_error(ArrowArrayStream *self)
{
    return self->private_data == NULL ? "nothing" : "something";
}

static void nothing(void)
{
    deleted++;
}

static DLDevice handle(int code, DLDevice device, void *context)
{
    device.device_id += context == NULL ? code : 0;
    return device;
}

static int numbers[4] = {1, 2, 3, 4};

static int (*row(bool is_first))[4]
{
    return is_first ? &numbers : NULL;
}

static int (*(*nested(const int *(*install)(unsigned long code)))(bool))[4]
{
    return install == NULL ? row : NULL;
}

static float rate(size_t at)
{
    return at == 0 ? 1.0f : 0.5f;
}

static bool each(wc_node *node, void *context)
{
    return node->next == context;
}

int main(void)
{
    static DLManagedTensor managed;
    static ArrowArrayStream stream;
    static ArrowSchema schema;
    static wc_everything everything;
    static const int rows[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    static float (*slot)(size_t at);
    static wc_node node;
    DLDevice device = {1, 2};
    int failed = 0;

    managed.dl_tensor.shape = shape;
    managed.dl_tensor.ndim = 2;
    managed.deleter = delete_tensor;
    managed.deleter(&managed);
    failed += deleted != 2;

    stream.get_schema = get_schema;
    stream.get_last_error = get_last_error;
    stream.private_data = &stream;
    failed += stream.get_schema(&stream, &schema) != 7 || schema.private_data != &stream;
    failed += stream.get_last_error(&stream)[0] != 's';

    everything.handler = nothing;
    everything.handler();
    failed += deleted != 3;
    everything.handlers[1] = handle;
    failed += everything.handlers[1](5, device, NULL).device_id != 7;
    everything.nested = nested;
    failed += (*everything.nested(NULL)(true))[3] != 4;
    everything.row = &rows;
    failed += (*everything.row)[1][3] != 8;
    slot = rate;
    everything.slot = &slot;
    failed += (*everything.slot)(0) < 0.75f;
    everything.formats = &device.device_type;
    failed += *everything.formats != WC_DEVICE_TYPE_CPU;

    node.list.first = &node;
    node.list.each = each;
    failed += !node.list.each(node.list.first, NULL);
#ifdef __cplusplus
    static_assert(std::is_same<wirecontract::tensor::DLTensor, DLTensor>::value, "it is another type");
#endif
    return failed;
}
