#include "ht.h"

#include "evals.h"

#include <stdlib.h>
#include <string.h>

/* The unknowns of the complicated case: no shift, and theta. */
static void set_unknowns(const ht_input *in, double unknown[HT_UNKNOWNS]) {
  unknown[0] = unknown[1] = 0;
  memcpy(unknown + 2, in->theta, HT_THETA * sizeof *unknown);
}

void ht_errors(const ht_input *in, double *error) {
  size_t bones = in->bones;
  if (in->complicated) {
    double unknown[HT_UNKNOWNS];
    set_unknowns(in, unknown);
    ht_complicated(bones, in->vertices, in->triangles, unknown, in->parent, (const double(*)[4][4])in->relative,
                   (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
                   (const size_t(*)[3])in->triangle, in->mirrored, in->n, in->correspondence,
                   (const double(*)[3])in->point, (const double(*)[2])in->us, (double(*)[3])error);
  } else {
    ht_simple(bones, in->vertices, in->theta, in->parent, (const double(*)[4][4])in->relative,
              (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
              in->mirrored, in->n, in->correspondence, (const double(*)[3])in->point, (double(*)[3])error);
  }
}

typedef double affine[3][4];

/* c = a b; where `linear`, b has no last row (0, 0, 0, 1), as a derivative has none. */
static void compose(affine a, affine b, bool linear, affine c) {
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 4; j++) {
      c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    }
    if (!linear) {
      c[i][3] += a[i][3];
    }
  }
}

static void copy_affine(const double *matrix, affine to) { memcpy(to, matrix, sizeof(affine)); }

/* Derivative by component k of the rotation about `axis`. */
static void axis_rotation_slope(const double axis[3], size_t k, double r[3][3]) {
  double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  memset(r, 0, 9 * sizeof(double));
  if (angle < 1e-4) {
    return;
  }
  double w[3], dw[3], s = sin(angle), c = cos(angle), da = axis[k] / angle;
  for (size_t i = 0; i < 3; i++) {
    w[i] = axis[i] / angle;
  }
  for (size_t i = 0; i < 3; i++) {
    dw[i] = ((i == k) - w[i] * w[k]) / angle;
  }
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 3; j++) {
      r[i][j] = (dw[i] * w[j] + w[i] * dw[j]) * (1 - c) + w[i] * w[j] * s * da;
    }
    r[i][i] -= s * da;
  }
  double t[3] = {dw[0] * s + w[0] * c * da, dw[1] * s + w[1] * c * da, dw[2] * s + w[2] * c * da};
  r[0][1] -= t[2];
  r[0][2] += t[1];
  r[1][0] += t[2];
  r[1][2] -= t[0];
  r[2][0] -= t[1];
  r[2][1] += t[0];
}

static void apply(double m[3][3], const double x[3], double y[3]) {
  for (size_t i = 0; i < 3; i++) {
    y[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2];
  }
}

/* A finger's four angles move its last three bones alone, and only those that hang on the joint: bone_slope[b][a] is
   the derivative of the transform of bone b by angle a of its finger, where moves[b][a]. All transforms have the global
   rotation applied. */
typedef struct {
  affine transform[32], slope[32][4];
  bool moves[32][4];
} skeleton;

static void pose(const ht_input *in, double global[3][3], skeleton *sk) {
  affine absolute[32], absolute_slope[32][4];
  memset(sk->moves, 0, sizeof sk->moves);
  for (size_t b = 0; b < in->bones; b++) {
    affine base, inverse, turn = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, relative, turned;
    affine by_flexion = {{0}}, by_abduction = {{0}};
    bool bends = b >= 1 && b <= 20 && (b - 1) % 4 != 0;
    size_t joint = bends ? (b - 1) % 4 : 0;
    copy_affine(in->relative + 16 * b, base);
    copy_affine(in->inverse + 16 * b, inverse);
    if (bends) {
      size_t first = 6 + (b - 1) / 4 * 4;
      double flexion = in->theta[joint == 1 ? first : first + joint];
      double abduction = joint == 1 ? in->theta[first + 1] : 0;
      double cx = cos(flexion), sx = sin(flexion), cz = cos(abduction), sz = sin(abduction);
      affine r = {{cz, -sz * cx, sz * sx, 0}, {sz, cz * cx, -cz * sx, 0}, {0, sx, cx, 0}};
      affine rx = {{0, sz * sx, sz * cx, 0}, {0, -cz * sx, -cz * cx, 0}, {0, cx, -sx, 0}};
      affine rz = {{-sz, -cz * cx, cz * sx, 0}, {cz, -sz * cx, sz * sx, 0}, {0, 0, 0, 0}};
      memcpy(turn, r, sizeof r);
      memcpy(by_flexion, rx, sizeof rx);
      memcpy(by_abduction, rz, sizeof rz);
    }
    compose(base, turn, false, relative);
    ptrdiff_t parent = in->parent[b];
    if (parent < 0) {
      memcpy(absolute[b], relative, sizeof relative);
    } else {
      compose(absolute[parent], relative, false, absolute[b]);
      if (bends) {
        for (size_t a = 0; a < 4; a++) {
          sk->moves[b][a] = sk->moves[parent][a];
          if (sk->moves[b][a]) {
            compose(absolute_slope[parent][a], relative, false, absolute_slope[b][a]);
          }
        }
      }
    }
    if (bends) {
      affine identity = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
      size_t flexion = joint == 1 ? 0 : joint;
      compose(base, by_flexion, true, turned);
      compose(parent < 0 ? identity : absolute[parent], turned, true, absolute_slope[b][flexion]);
      sk->moves[b][flexion] = true;
      if (joint == 1) {
        compose(base, by_abduction, true, turned);
        compose(parent < 0 ? identity : absolute[parent], turned, true, absolute_slope[b][1]);
        sk->moves[b][1] = true;
      }
    }
    affine g, local;
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 4; j++) {
        g[i][j] = j < 3 ? global[i][j] : 0;
      }
    }
    compose(absolute[b], inverse, false, sk->transform[b]);
    for (size_t a = 0; a < 4; a++) {
      if (sk->moves[b][a]) {
        compose(absolute_slope[b][a], inverse, false, local);
        compose(g, local, true, sk->slope[b][a]);
      }
    }
  }
}

static void move(affine t, const double p[4], double y[3]) {
  for (size_t i = 0; i < 3; i++) {
    y[i] = t[i][0] * p[0] + t[i][1] * p[1] + t[i][2] * p[2] + t[i][3] * p[3];
  }
}

/* A vertex and its derivatives: where it is, and by theta without the translation. */
typedef struct {
  double position[3], by_theta[3][26];
} vertex;

static void place(const ht_input *in, skeleton *sk, double global[3][3], double global_slope[3][3][3], size_t v,
                  vertex *out) {
  const double *p = in->base + 4 * v;
  double blended[3] = {0, 0, 0};
  memset(out->by_theta, 0, sizeof out->by_theta);
  for (size_t b = 0; b < in->bones; b++) {
    double weight = in->weight[v * in->bones + b], moved[3];
    if (weight == 0) {
      continue;
    }
    move(sk->transform[b], p, moved);
    for (size_t i = 0; i < 3; i++) {
      blended[i] += weight * moved[i];
    }
    for (size_t a = 0; a < 4; a++) {
      if (sk->moves[b][a]) {
        move(sk->slope[b][a], p, moved);
        for (size_t i = 0; i < 3; i++) {
          out->by_theta[i][6 + (b - 1) / 4 * 4 + a] += weight * moved[i];
        }
      }
    }
  }
  if (in->mirrored) {
    blended[0] = -blended[0];
  }
  apply(global, blended, out->position);
  for (size_t i = 0; i < 3; i++) {
    out->position[i] += in->theta[3 + i];
    out->by_theta[i][3 + i] = 1;
  }
  for (size_t k = 0; k < 3; k++) {
    double turned[3];
    apply(global_slope[k], blended, turned);
    for (size_t i = 0; i < 3; i++) {
      out->by_theta[i][k] = turned[i];
    }
  }
}

void ht_jacobian(const ht_input *in, double *jacobian) {
  double global[3][3], mirrored[3][3], global_slope[3][3][3];
  skeleton *sk = malloc(sizeof *sk);
  vertex *vertices = malloc((in->vertices + 1) * sizeof *vertices);
  ht_axis_rotation(in->theta, global);
  for (size_t i = 0; i < 3; i++) {
    axis_rotation_slope(in->theta, i, global_slope[i]);
    for (size_t j = 0; j < 3; j++) {
      mirrored[i][j] = in->mirrored && j == 0 ? -global[i][j] : global[i][j];
    }
  }
  pose(in, mirrored, sk);
  for (size_t v = 0; v < in->vertices; v++) {
    place(in, sk, global, global_slope, v, &vertices[v]);
  }
  for (size_t i = 0; i < in->n; i++) {
    if (in->complicated) {
      const size_t *corner = in->triangle + 3 * in->correspondence[i];
      const vertex *a = &vertices[corner[0]], *b = &vertices[corner[1]], *c = &vertices[corner[2]];
      double u = in->us[2 * i], v = in->us[2 * i + 1], w = 1 - u - v;
      for (size_t j = 0; j < 3; j++) {
        *jacobian++ = c->position[j] - a->position[j];
        *jacobian++ = c->position[j] - b->position[j];
        for (size_t k = 0; k < 26; k++) {
          *jacobian++ = -(u * a->by_theta[j][k] + v * b->by_theta[j][k] + w * c->by_theta[j][k]);
        }
      }
    } else {
      const vertex *a = &vertices[in->correspondence[i]];
      for (size_t j = 0; j < 3; j++) {
        for (size_t k = 0; k < 26; k++) {
          *jacobian++ = -a->by_theta[j][k];
        }
      }
    }
  }
  free(vertices);
  free(sk);
}
