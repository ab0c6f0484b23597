// Strongly connected components of a part of a graph.
#pragma once

#include <cstdint>
#include <vector>

namespace woa {

using Adjacency = std::vector<std::vector<std::uint32_t>>;  // successors of each node

// Components in reverse topological order, the nodes of each in ascending order. Only nodes with `part[node] == number`
// count. Linear time and memory, no recursion.
std::vector<std::vector<std::uint32_t>> strong_components(const Adjacency& next,
                                                          const std::vector<std::uint32_t>& nodes,
                                                          const std::vector<std::uint32_t>& part, std::uint32_t number);

}  // namespace woa
