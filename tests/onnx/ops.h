/* ONNX's ops as ours: each is one public function of libtlaloc, or a view of its input. */
#ifndef TESTS_ONNX_OPS_H
#define TESTS_ONNX_OPS_H

#include "model.h"
#include "tlaloc/capture.h"

enum { ONNX_MOST = 16 };
typedef struct onnx_call {
  const onnx_node *node;
  int64_t opset;
  int inputs, outputs;
  tl_tensor in[ONNX_MOST]; /* NULL where one is left out */
  tl_tensor out[ONNX_MOST];
  const char *refused; /* why the op is not mapped with these attributes */
} onnx_call;

/* Sets the call's outputs; or `refused`, where no function of ours does this. */
void onnx_run_node(onnx_call *);

#endif
