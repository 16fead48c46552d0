#pragma once

void plain_sums(const float *matrix, float *sums, int rows, int columns);
void weighted_sums(const float *matrix, const float *weights, float *sums, int rows, int columns);
