#include "svg.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 720, HEIGHT = 480, LEFT = 80, RIGHT = 20, TOP = 44, BOTTOM = 60 };

typedef struct {
  double low, high, tick;
} axis;

/* A range that holds all values, with ticks at 1, 2 or 5 times a power of ten. */
static axis axis_over(size_t n, const double *a, size_t m, const double *b) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < n + m; i++) {
    double value = i < n ? a[i] : b[i - n];
    if (isfinite(value)) {
      low = fmin(low, value);
      high = fmax(high, value);
    }
  }
  if (!(low < high)) {
    high = low + 1;
  }
  double rough = (high - low) / 6, power = pow(10, floor(log10(rough)));
  double tick = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
  return (axis){floor(low / tick) * tick, ceil(high / tick) * tick, tick};
}

static double place_x(axis a, double x) { return LEFT + (x - a.low) / (a.high - a.low) * (WIDTH - LEFT - RIGHT); }

static double place_y(axis a, double y) {
  return HEIGHT - BOTTOM - (y - a.low) / (a.high - a.low) * (HEIGHT - TOP - BOTTOM);
}

static void write_text(FILE *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '&':
      fputs("&amp;", out);
      break;
    default:
      fputc(*text, out);
    }
  }
}

static void write_axes(FILE *out, axis ax, axis ay) {
  fprintf(out, "<g stroke=\"#ccc\" stroke-width=\"1\">\n");
  for (double x = ax.low; x < ax.high + ax.tick / 2; x += ax.tick) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", place_x(ax, x), TOP, place_x(ax, x),
            HEIGHT - BOTTOM);
  }
  for (double y = ay.low; y < ay.high + ay.tick / 2; y += ay.tick) {
    fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, place_y(ay, y), WIDTH - RIGHT,
            place_y(ay, y));
  }
  fprintf(out, "</g>\n<g font-size=\"12\" text-anchor=\"middle\">\n");
  for (double x = ax.low; x < ax.high + ax.tick / 2; x += ax.tick) {
    fprintf(out, "<text x=\"%.1f\" y=\"%d\">%.6g</text>\n", place_x(ax, x), HEIGHT - BOTTOM + 18,
            fabs(x) < ax.tick / 1e6 ? 0 : x);
  }
  fprintf(out, "</g>\n<g font-size=\"12\" text-anchor=\"end\">\n");
  for (double y = ay.low; y < ay.high + ay.tick / 2; y += ay.tick) {
    fprintf(out, "<text x=\"%d\" y=\"%.1f\">%.6g</text>\n", LEFT - 8, place_y(ay, y) + 4,
            fabs(y) < ay.tick / 1e6 ? 0 : y);
  }
  fprintf(out, "</g>\n");
}

int svg_write(const char *path, const char *title, const char *x_label, const char *y_label, size_t n, const double *x,
              const double *y, size_t m, const double *curve_x, const double *curve_y) {
  FILE *out = fopen(path, "w");
  if (out == NULL) {
    perror(path);
    return -1;
  }
  axis ax = axis_over(n, x, m, curve_x), ay = axis_over(n, y, m, curve_y);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT);
  write_axes(out, ax, ay);
  fprintf(out, "<g fill=\"none\" stroke=\"#3465a4\">\n");
  for (size_t i = 0; i < n; i++) {
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", place_x(ax, x[i]), place_y(ay, y[i]));
  }
  fprintf(out, "</g>\n<polyline fill=\"none\" stroke=\"#cc0000\" stroke-width=\"1.5\" points=\"");
  for (size_t i = 0; i < m; i++) {
    if (isfinite(curve_y[i])) {
      fprintf(out, "%.2f,%.2f ", place_x(ax, curve_x[i]), place_y(ay, curve_y[i]));
    }
  }
  fprintf(out, "\"/>\n<text x=\"%d\" y=\"28\" font-size=\"16\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2);
  write_text(out, title);
  fprintf(out, "</text>\n<text x=\"%d\" y=\"%d\" font-size=\"14\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
          HEIGHT - 16);
  write_text(out, x_label);
  fprintf(out, "</text>\n<text transform=\"translate(18 %d) rotate(-90)\" font-size=\"14\" text-anchor=\"middle\">",
          (TOP + HEIGHT - BOTTOM) / 2);
  write_text(out, y_label);
  fprintf(out, "</text>\n</svg>\n");
  if (fclose(out) != 0) {
    perror(path);
    return -1;
  }
  return 0;
}
