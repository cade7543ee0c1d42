/* Reads a registration of a surface, says what is in it, gives it another name and writes it again. */
#include <stdio.h>
#include <string.h>

#include <wirecontract/catalog.h>
#include <wirecontract/library.h>
#include <wirecontract/texture.h>

static const char DOCUMENT[] =
    "{\"op\":\"register\",\"surface_id\":\"camera-7\",\"width\":1920,\"height\":1080,"
    "\"resource_type\":\"texture\",\"format\":\"rgba8_unorm\",\"plane_sizes\":[8294400],"
    "\"plane_offsets\":[0],\"plane_strides\":[7680]}";

static wc_str text_of(const char *text)
{
    wc_str all;
    all.data = text;
    all.length = strlen(text);
    return all;
}

static int fail(const char *what, const wc_error *error)
{
    char message[512];
    wc_error_message(error, message, sizeof message);
    fprintf(stderr, "%s: %s\n", what, message);
    return 1;
}

int main(void)
{
    wc_request request;
    wc_arena arena;
    wc_error error;
    wc_owned_bytes json;
    wc_abi_mismatch mismatch;

    /* Nothing is called before the library is known to be the one that the headers are of. */
    if (wc_check_abi(&mismatch) != WC_STATUS_OK || wc_texture_check_abi(&mismatch) != WC_STATUS_OK) {
        fprintf(stderr, "%s: expected %llx, found %llx\n", mismatch.symbol, (unsigned long long)mismatch.expected,
                (unsigned long long)mismatch.found);
        return 1;
    }
    if (wc_catalog_json(&json) != WC_STATUS_OK) {
        wc_failure failure;
        wc_last_error(&failure);
        fprintf(stderr, "%s: %s\n", failure.function, failure.message);
        return 1;
    }
    printf("the library speaks %zu bytes of contracts\n", json.length);
    wc_bytes_free(&json);

    /* What is wrong with a document is said with its place. */
    if (wc_request_from_json(text_of("{\"op\":\"register\",\"surface_id\":7}"), &request, &arena, &error) != WC_STATUS_OK) {
        char message[512];
        wc_error_message(&error, message, sizeof message);
        printf("refused: %s\n", message);
    }

    if (wc_request_from_json(text_of(DOCUMENT), &request, &arena, &error) != WC_STATUS_OK) {
        return fail("cannot read the document", &error);
    }
    if (request.tag == WC_REQUEST_REGISTER) {
        wc_registration *registration = &request.value.register_;
        /* Texts are not ended by NUL, and live in the arena. */
        printf("%.*s is %u x %u, of %zu plane(s)\n", (int)registration->surface_id.length,
               registration->surface_id.data, (unsigned)registration->shape.width,
               (unsigned)registration->shape.height, registration->shape.plane_sizes.count);
        registration->surface_id = text_of("camera-8");
        if (wc_registration_validate_import(registration, 1, &error) != WC_STATUS_OK) {
            wc_arena_free(&arena);
            return fail("cannot import the surface", &error);
        }
    }
    if (wc_request_to_json(&request, &json, &error) != WC_STATUS_OK) {
        wc_arena_free(&arena);
        return fail("cannot write the document", &error);
    }
    printf("%s\n", (const char *)json.data);
    wc_bytes_free(&json);
    wc_arena_free(&arena);
    return 0;
}
