#pragma once

void scale(float *data, int count, float factor);
void add(float *data, int count, float offset);
void local(float *data, int count);
