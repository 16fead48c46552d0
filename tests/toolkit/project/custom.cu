__global__ void set(int *where) { *where = 5; }

int main() {
    int *where;
    cudaMallocManaged(&where, sizeof(int));
    set<<<1, 1>>>(where);
    cudaDeviceSynchronize();
    return *where != 5;
}
