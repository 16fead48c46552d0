#include "trace_stream.h"

namespace gpuopt_emu {

enum StreamFlags : unsigned char { LANES_FOLLOW = 4, WORK_FOLLOWS = 8, ADDRESSES_FOLLOW = 16 };

bool has_stride(const Traced &what, int64_t *stride) {
  const uint32_t run = what.lanes >> __builtin_ctz(what.lanes);
  if (what.count() < 2 || run & (run + 1)) return false;
  *stride = (int64_t)(what.address[1] - what.address[0]);
  for (unsigned i = 2; i < what.count(); ++i)
    if ((int64_t)(what.address[i] - what.address[i - 1]) != *stride) return false;
  return *stride == (int)*stride;
}

void StreamWriter::begin(Spool *spool) {
  spool_ = spool;
  chain_ = Chain();
  for (Memory &memory : known_) memory = Memory();
  instructions_ = 0;
  used_ = 0;
}

void StreamWriter::put(unsigned char byte) {
  bytes_[used_++] = byte;
  if (used_ < Spool::ROOM) return;
  spool_->append(chain_, bytes_, used_);
  used_ = 0;
}

void StreamWriter::number(uint64_t value) {
  for (; value >= 128; value >>= 7) put((unsigned char)(value | 128));
  put((unsigned char)value);
}

void StreamWriter::add(const Traced &what) {
  Memory &known = known_[what.place % MEMORIES];
  if (known.place != what.place) {
    known = Memory();
    known.place = what.place;
  }
  const bool accesses = what.place >= Traced::FIRST_PLACE;
  int64_t stride = 0;
  const bool strided = accesses && has_stride(what, &stride);
  const int64_t moved = accesses ? (int64_t)(what.address[0] - known.first) : 0;
  Form form = strided ? Form::stride : Form::deltas;
  if (strided && known.strided && stride == known.stride && moved == known.moved && what.lanes == known.lanes) form = Form::same;
  unsigned flags = (unsigned)form;
  if (what.lanes != known.lanes) flags |= LANES_FOLLOW;
  if (what.before != known.before || what.flops != known.flops) flags |= WORK_FOLLOWS;
  if (accesses && form != Form::same) flags |= ADDRESSES_FOLLOW;
  put((unsigned char)flags);
  number(what.place);
  if (flags & LANES_FOLLOW)
    for (unsigned i = 0; i < 4; ++i) put((unsigned char)(what.lanes >> 8 * i));
  if (flags & WORK_FOLLOWS) {
    number(what.before);
    number(what.flops);
  }
  if (flags & ADDRESSES_FOLLOW) {
    signed_number(moved);
    if (strided) signed_number(stride);
    else
      for (unsigned i = 1; i < what.count(); ++i) signed_number((int64_t)(what.address[i] - what.address[i - 1]));
  }
  known.before = what.before;
  known.flops = what.flops;
  known.lanes = what.lanes;
  known.first = accesses ? what.address[0] : 0;
  known.moved = moved;
  known.stride = stride;
  known.strided = strided;
  instructions_ += what.before + 1u;
}

Chain StreamWriter::end() {
  if (used_) spool_->append(chain_, bytes_, used_);
  return chain_;
}

StreamReader::StreamReader(const Spool &spool, const Chain &chain) : spool_(spool), chunk_(chain.first), left_(chain.bytes) {}

unsigned char StreamReader::get() {
  if (at_ == Spool::ROOM) {
    chunk_ = spool_.read(chunk_, bytes_);
    at_ = 0;
  }
  --left_;
  return bytes_[at_++];
}

uint64_t StreamReader::number() {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char byte = get();
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return value;
  }
}

bool StreamReader::next(Traced *what) {
  if (!left_) return false;
  const unsigned flags = get();
  const Form form = (Form)(flags & 3);
  what->place = (unsigned)number();
  Memory &known = known_[what->place % MEMORIES];
  if (known.place != what->place) {
    known = Memory();
    known.place = what->place;
  }
  if (flags & LANES_FOLLOW) {
    known.lanes = 0;
    for (unsigned i = 0; i < 4; ++i) known.lanes |= (uint32_t)get() << 8 * i;
  }
  if (flags & WORK_FOLLOWS) {
    known.before = (unsigned)number();
    known.flops = (unsigned)number();
  }
  what->lanes = known.lanes;
  what->before = known.before;
  what->flops = known.flops;
  if (what->place < Traced::FIRST_PLACE) return true;
  if (flags & ADDRESSES_FOLLOW) known.moved = signed_number();
  what->address[0] = known.first += (uint64_t)known.moved;
  if (form == Form::stride) known.stride = signed_number();
  for (unsigned i = 1; i < what->count(); ++i)
    what->address[i] = what->address[i - 1] + (uint64_t)(form == Form::deltas ? signed_number() : known.stride);
  return true;
}

}  // namespace gpuopt_emu
