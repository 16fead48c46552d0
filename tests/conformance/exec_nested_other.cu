// The other unit of exec_nested.cu.
__device__ int shared_counter = 10;
__constant__ int other_table[4] = {100, 200, 300, 400};
__device__ int from_other_unit(int x) { return x * x + 3; }
