/* ht: hand tracking. A skeleton of bones, posed by 26 parameters (global rotation 3, global translation 3, 4 angles for
   each of 5 fingers), moves the vertices of a mesh by linear blend skinning; the errors are measured points minus
   points of the mesh. Transforms are affine: the last row of the 4 by 4 matrices is (0, 0, 0, 1). */
#ifndef HT_H
#define HT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_THETA = 26, HT_UNKNOWNS = 28 };

/* Rotation about `axis` by its length; none where that is tiny. */
static void ht_axis_rotation(const double axis[3], double r[3][3]) {
  double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (angle < 1e-4) {
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++) {
        r[i][j] = i == j ? 1 : 0;
      }
    }
    return;
  }
  double x = axis[0] / angle, y = axis[1] / angle, z = axis[2] / angle;
  double s = sin(angle), c = cos(angle);
  r[0][0] = x * x + (1 - x * x) * c;
  r[0][1] = x * y * (1 - c) - z * s;
  r[0][2] = x * z * (1 - c) + y * s;
  r[1][0] = x * y * (1 - c) + z * s;
  r[1][1] = y * y + (1 - y * y) * c;
  r[1][2] = y * z * (1 - c) - x * s;
  r[2][0] = x * z * (1 - c) - y * s;
  r[2][1] = y * z * (1 - c) + x * s;
  r[2][2] = z * z + (1 - z * z) * c;
}

/* Rotation about x by `flexion`, then about z by `abduction`. */
static void ht_joint_rotation(double flexion, double abduction, double r[3][3]) {
  double cx = cos(flexion), sx = sin(flexion), cz = cos(abduction), sz = sin(abduction);
  r[0][0] = cz;
  r[0][1] = -sz * cx;
  r[0][2] = sz * sx;
  r[1][0] = sz;
  r[1][1] = cz * cx;
  r[1][2] = -cz * sx;
  r[2][0] = 0;
  r[2][1] = sx;
  r[2][2] = cx;
}

/* Bone 0 is the wrist; each finger has one rigid bone and three that bend, the first of these sideways too. */
static void ht_bone_transforms(size_t bones, const double theta[26], const ptrdiff_t parent[bones],
                               const double relative[bones][4][4], const double inverse[bones][4][4],
                               double transform[bones][3][4]) {
  double absolute[bones][3][4];
  for (size_t b = 0; b < bones; b++) {
    double turn[3][3], posed[3][4];
    double flexion = 0, abduction = 0;
    if (b >= 1 && b <= 20 && (b - 1) % 4 != 0) {
      size_t joint = (b - 1) % 4, first = 6 + (b - 1) / 4 * 4;
      flexion = theta[joint == 1 ? first : first + joint];
      if (joint == 1) {
        abduction = theta[first + 1];
      }
    }
    ht_joint_rotation(flexion, abduction, turn);
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++) {
        posed[i][j] = relative[b][i][0] * turn[0][j] + relative[b][i][1] * turn[1][j] + relative[b][i][2] * turn[2][j];
      }
      posed[i][3] = relative[b][i][3];
    }
    if (parent[b] < 0) {
      for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 4; j++) {
          absolute[b][i][j] = posed[i][j];
        }
      }
    } else {
      size_t p = (size_t)parent[b];
      for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 4; j++) {
          absolute[b][i][j] =
              absolute[p][i][0] * posed[0][j] + absolute[p][i][1] * posed[1][j] + absolute[p][i][2] * posed[2][j];
        }
        absolute[b][i][3] += absolute[p][i][3];
      }
    }
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 4; j++) {
        transform[b][i][j] = absolute[b][i][0] * inverse[b][0][j] + absolute[b][i][1] * inverse[b][1][j] +
                             absolute[b][i][2] * inverse[b][2][j] + absolute[b][i][3] * inverse[b][3][j];
      }
    }
  }
}

static void ht_vertices(size_t bones, size_t vertices, const double theta[26], const ptrdiff_t parent[bones],
                        const double relative[bones][4][4], const double inverse[bones][4][4],
                        const double base[vertices][4], const double weight[vertices][bones], bool mirrored,
                        double position[vertices][3]) {
  double transform[bones][3][4], global[3][3];
  ht_bone_transforms(bones, theta, parent, relative, inverse, transform);
  ht_axis_rotation(theta, global);
  double side = mirrored ? -1 : 1;
  for (size_t v = 0; v < vertices; v++) {
    double blended[3] = {0, 0, 0};
    for (size_t b = 0; b < bones; b++) {
      if (weight[v][b] != 0) {
        for (size_t i = 0; i < 3; i++) {
          blended[i] += weight[v][b] * (transform[b][i][0] * base[v][0] + transform[b][i][1] * base[v][1] +
                                        transform[b][i][2] * base[v][2] + transform[b][i][3] * base[v][3]);
        }
      }
    }
    for (size_t i = 0; i < 3; i++) {
      position[v][i] =
          global[i][0] * side * blended[0] + global[i][1] * blended[1] + global[i][2] * blended[2] + theta[3 + i];
    }
  }
}

/* Each measured point belongs to one vertex. */
static void ht_simple(size_t bones, size_t vertices, const double theta[26], const ptrdiff_t parent[bones],
                      const double relative[bones][4][4], const double inverse[bones][4][4],
                      const double base[vertices][4], const double weight[vertices][bones], bool mirrored, size_t n,
                      const size_t correspondence[n], const double point[n][3], double error[n][3]) {
  double position[vertices][3];
  ht_vertices(bones, vertices, theta, parent, relative, inverse, base, weight, mirrored, position);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < 3; j++) {
      error[i][j] = point[i][j] - position[correspondence[i]][j];
    }
  }
}

/* Each measured point lies on a triangle, at barycentric coordinates us + shift. The unknowns are the shift (2), which
   is 0 and stands for the derivatives of all points by their own first or second coordinate, and theta (26). */
static void ht_complicated(size_t bones, size_t vertices, size_t triangles, const double unknown[28],
                           const ptrdiff_t parent[bones], const double relative[bones][4][4],
                           const double inverse[bones][4][4], const double base[vertices][4],
                           const double weight[vertices][bones], const size_t triangle[triangles][3], bool mirrored,
                           size_t n, const size_t correspondence[n], const double point[n][3], const double us[n][2],
                           double error[n][3]) {
  double position[vertices][3];
  ht_vertices(bones, vertices, unknown + 2, parent, relative, inverse, base, weight, mirrored, position);
  for (size_t i = 0; i < n; i++) {
    const size_t *corner = triangle[correspondence[i]];
    double u = us[i][0] + unknown[0], v = us[i][1] + unknown[1];
    for (size_t j = 0; j < 3; j++) {
      error[i][j] = point[i][j] -
                    (u * position[corner[0]][j] + v * position[corner[1]][j] + (1 - u - v) * position[corner[2]][j]);
    }
  }
}

#endif
