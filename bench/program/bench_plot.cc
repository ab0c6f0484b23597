#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <vector>

#include "bench/program/bench_report.h"
#include "runtime/base/quantities.h"

namespace woa::tools {
namespace {

constexpr double kWidth = 960, kLeft = 300, kPlotWidth = 470, kTop = 80, kRowHeight = 22, kLinesHeight = 420,
                 kFoot = 48;
constexpr std::size_t kSizesForLines = 4;

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
  std::array<char, 512> buffer{};
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer.data(), buffer.size(), format, values);
  va_end(values);
  return buffer.data();
}

std::string escaped(const std::string& raw) {
  std::string out;
  for (const char c : raw) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

// Maps values to a share of the axis.
struct Scale {
  bool logarithmic = false;
  double low = 0, high = 1;
  std::vector<double> ticks;

  [[nodiscard]] double at(double value) const {
    if (!logarithmic) return (value - low) / (high - low);
    return (std::log10(std::max(value, low)) - std::log10(low)) / (std::log10(high) - std::log10(low));
  }
};

// "1", "1000", "10⁶"; 10⁶ and more are powers of ten on a logarithmic axis.
std::string number_of(const Scale& scale, double tick) {
  constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const long power = std::lround(std::log10(std::max(tick, 1e-9)));
  if (!scale.logarithmic || power < 6) return text("%g", tick);
  std::string digits;
  for (const char digit : std::to_string(power)) digits += kDigits.at(static_cast<std::size_t>(digit - '0'));
  return "10" + digits;
}

std::string axis_title(const Scale& scale, const std::string& unit) {
  return unit + (scale.logarithmic ? ", logarithmic axis" : "");
}

Scale logarithmic_scale(double least, double most) {
  Scale scale{true, std::pow(10, std::floor(std::log10(least))), std::pow(10, std::ceil(std::log10(most))), {}};
  if (scale.high <= scale.low) scale.high = scale.low * 10;
  for (double tick = scale.low; tick <= scale.high * 1.001; tick *= 10) scale.ticks.push_back(tick);
  return scale;
}

Scale linear_scale(double most) {
  const double rough = most / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough / power <= 1   ? power
                      : rough / power <= 2 ? 2 * power
                      : rough / power <= 5 ? 5 * power
                                           : 10 * power;
  Scale scale{false, 0, step * std::ceil(most / step), {}};
  for (double tick = 0; tick <= scale.high * 1.001; tick += step) scale.ticks.push_back(tick);
  return scale;
}

Scale scale_of(const std::vector<bench::Row>& rows) {
  double least = 0, most = 0;
  for (const bench::Row& row : rows) {
    most = std::max(most, row.max());
    if (row.min() > 0) least = least == 0 ? row.min() : std::min(least, row.min());
  }
  if (most <= 0) return linear_scale(1);
  return least > 0 && most > 20 * least ? logarithmic_scale(least, most) : linear_scale(most);
}

// A colour per contender, by its role.
class Colours {
 public:
  explicit Colours(const std::vector<bench::Row>& rows) {
    std::map<std::string, std::size_t> used;
    for (const bench::Row& row : rows) {
      if (colours_.contains(row.contender)) continue;
      const auto& palette = kPalettes.at(row.role == "limit" ? 0 : row.role == "ours" ? 1 : 2);
      colours_[row.contender] = palette.at(used[row.role]++ % palette.size());
    }
  }
  [[nodiscard]] const char* of(const bench::Row& row) const { return colours_.at(row.contender); }

 private:
  static constexpr std::array<std::array<const char*, 4>, 3> kPalettes{{{"#8c8c8c", "#5f5f5f", "#b5b5b5", "#404040"},
                                                                        {"#1f77b4", "#2ca02c", "#17a2b8", "#6f5fc4"},
                                                                        {"#ff7f0e", "#d62728", "#c77cba", "#a0622d"}}};
  std::map<std::string, const char*> colours_;
};

std::string line(double x1, double y1, double x2, double y2, const char* colour, double width = 1) {
  return text("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", x1, y1,
              x2, y2, colour, width);
}

std::string label(double x, double y, const char* anchor, const std::string& words, const char* style = "") {
  return text("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, style) + escaped(words) + "</text>\n";
}

std::string value_text(const bench::Row& row) {
  std::string words = text("%.4g %s", row.median(), row.unit.c_str());
  if (row.ratio_to_limit > 0) words += text(", %.2f x", row.ratio_to_limit);
  return words;
}

std::string frame(const bench::Report& report, double height, const std::string& inside) {
  const std::string facts = report.bench + " over " + report.transport + ", host state: " + report.host_state;
  const std::string better = report.better == bench::Better::kLess ? "less is better" : "more is better";
  return text(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             kWidth, height, kWidth, height) +
         label(16, 26, "start", facts, "font-size=\"16\" font-weight=\"bold\"") +
         label(16, 46, "start",
               better + "; bars and points are medians, whiskers minimum and maximum; N x is the median by the limit's",
               "fill=\"#555\"") +
         inside + "</svg>\n";
}

// Rows of one size keep the report's order.
std::string draw_bars(const bench::Report& report) {
  const Scale scale = scale_of(report.rows);
  const Colours colours(report.rows);
  const auto x = [&](double value) { return kLeft + kPlotWidth * std::clamp(scale.at(value), 0.0, 1.0); };
  std::string bars;
  double y = kTop + 8;
  std::uint64_t size = ~std::uint64_t{0};
  for (const bench::Row& row : report.rows) {
    if (row.size != size) {
      size = row.size;
      bars += label(16, y + 16, "start", bytes_text(size), "font-weight=\"bold\"");
      y += kRowHeight;
    }
    const double middle = y + kRowHeight / 2;
    bars += label(kLeft - 8, middle + 4, "end", row.contender);
    bars += text("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", kLeft, y + 4,
                 std::max(x(row.median()) - kLeft, 1.0), kRowHeight - 8, colours.of(row));
    bars += line(x(row.min()), middle, x(row.max()), middle, "black");
    bars += label(x(row.max()) + 6, middle + 4, "start", value_text(row));
    y += kRowHeight;
  }
  std::string axis;
  for (const double tick : scale.ticks) {
    axis += line(x(tick), kTop, x(tick), y + 4, "#ddd");
    axis += label(x(tick), y + 20, "middle", number_of(scale, tick), "fill=\"#555\"");
  }
  axis += label(kLeft + kPlotWidth / 2, y + 38, "middle", axis_title(scale, report.rows.front().unit), "fill=\"#555\"");
  return frame(report, y + kFoot, axis + bars);
}

std::string draw_line(const std::vector<const bench::Row*>& rows, const auto& x, const auto& y, const char* colour) {
  std::string points, whiskers;
  for (const bench::Row* row : rows) {
    points += text("%.1f,%.1f ", x(row->size), y(row->median()));
    whiskers += line(x(row->size), y(row->min()), x(row->size), y(row->max()), colour);
    whiskers += text("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x(row->size), y(row->median()), colour);
  }
  const char* dashes = rows.front()->role == "limit" ? " stroke-dasharray=\"6 4\"" : "";
  return text("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour, dashes) + points +
         "\"/>\n" + whiskers;
}

std::string draw_lines(const bench::Report& report, const std::vector<std::uint64_t>& sizes) {
  constexpr double kX = 80, kXWidth = 600, kLegend = kX + kXWidth + 24;
  const Scale scale = scale_of(report.rows);
  const Colours colours(report.rows);
  const double first = std::log2(std::max<double>(1, static_cast<double>(sizes.front())));
  const double last = std::log2(static_cast<double>(sizes.back()));
  const auto x = [&](std::uint64_t size) {
    return kX + kXWidth * (std::log2(std::max<double>(1, static_cast<double>(size))) - first) / (last - first);
  };
  const auto y = [&](double value) { return kTop + kLinesHeight * (1 - std::clamp(scale.at(value), 0.0, 1.0)); };
  std::string picture;
  for (const double tick : scale.ticks) {
    picture += line(kX, y(tick), kX + kXWidth, y(tick), "#ddd");
    picture += label(kX - 8, y(tick) + 4, "end", number_of(scale, tick) + " " + report.rows.front().unit);
  }
  for (const std::uint64_t size : sizes) {
    if (sizes.size() > 8 && size != sizes.front() && size != sizes.back() &&
        std::count(sizes.begin(), sizes.end(), size / 4) == 0)
      continue;
    picture += label(x(size), kTop + kLinesHeight + 18, "middle", bytes_text(size), "font-size=\"10\"");
  }
  picture += label(16, kTop - 10, "start", axis_title(scale, report.rows.front().unit), "fill=\"#555\"");
  std::vector<std::string> order;
  std::map<std::string, std::vector<const bench::Row*>> by_contender;
  for (const bench::Row& row : report.rows) {
    if (by_contender[row.contender].empty()) order.push_back(row.contender);
    by_contender[row.contender].push_back(&row);
  }
  double legend = kTop + 8;
  for (const std::string& contender : order) {
    auto& rows = by_contender[contender];
    std::ranges::stable_sort(rows, {}, &bench::Row::size);
    picture += draw_line(rows, x, y, colours.of(*rows.front()));
    picture += line(kLegend, legend, kLegend + 20, legend, colours.of(*rows.front()), 3);
    picture += label(kLegend + 26, legend + 4, "start", contender);
    legend += kRowHeight;
  }
  return frame(report, kTop + kLinesHeight + kFoot, picture);
}

}  // namespace

std::string to_svg(const bench::Report& report) {
  if (report.rows.empty()) return frame(report, kTop + kFoot, "");
  std::vector<std::uint64_t> sizes;
  for (const bench::Row& row : report.rows) sizes.push_back(row.size);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes.size() < kSizesForLines ? draw_bars(report) : draw_lines(report, sizes);
}

}  // namespace woa::tools
