// A model of one channel between two processes: runtime/transport's ring_sender, ring_receiver and doorbell, and
// runtime/memory's block_pool.
// check_model.py lets spin visit all its states in several sizes, and shows that every fault seeded below is found.
//
// Properties that hold for every interleaving of the steps below:
//   - the consumer reads each packet once, in order and whole, and with it the payload that was written for it
//   - no slot and no block is written while the other side may still read it; a block comes back once
//   - nobody takes a true peer for a broken one: look_ahead() reports no loss, and every count is plausible()
//   - without a death all packets arrive and all blocks come back; nobody sleeps for ever (no invalid end state)
//   - a side that dies, at any step and with any claims, does not hold the other up, which reads all that was
//     published, or gives its own claims up, and ends
//   - all this in finitely many steps: what could be repeated for ever (cancelling a claim, a time-out) has a bound
//     here, and no cycle of states is left
//   - the same where a device publishes some packets at any later time: the producer prepares their slots, its own
//     packets keep the order, and what a device that broke can no longer publish goes out as poison
//
// Memory. A relaxed store waits in its writer's store buffer; it becomes visible at any later time and in any order. A
// release store enters the buffer only when everything stored before it is visible. So a packet can be published before
// its payload, and a ringer can miss a sleeper for want of a fence. Loads happen in program order. A step touches one
// shared word, or two where separate looks would find the same. The model shows neither a missing acquire (it does show
// two loads in the wrong order) nor a compiler's reordering: the tests under ThreadSanitizer cover those.
// A device's stores wait in the same way: one publish word and one payload.
//
// Not here: what packets say and how it is checked, CRCs, peers that write nonsense, numbers that wrap at 2^32,
// spinning before a sleep, blocks with several holders, several edges and instances (with one of each, a free block is
// a free credit), and how the launcher learns of a death.

// Sizes and participants.
#ifndef RING
#define RING 2     // slots of the header ring; 1 to 3 with a device
#endif
#ifndef RETURNS
#define RETURNS 2  // slots of the return ring
#endif
#ifndef BLOCKS
#define BLOCKS 2   // 1 to 3
#endif
#ifndef PACKETS
#define PACKETS 4
#endif
#ifndef POISONS
#define POISONS 1  // packets that may name no block, but carry bytes inline
#endif
#ifndef CANCELS
#define CANCELS 1  // claims that may be given up
#endif
#ifndef BELLS
#define BELLS 1    // 0: a side that finds nothing polls instead of sleeping, which gives far fewer states
#endif
#ifndef OTHERS
#define OTHERS 0   // 1: a third process rings both bells once
#endif
#ifndef LEAVES
#define LEAVES 0   // 1: either side may close at any time
#endif
#ifndef DEATHS
#define DEATHS 0   // 1: one side dies
#endif
#ifndef DEVICE
#define DEVICE 0   // 1: a device publishes some of the packets
#endif
#ifndef BREAKS
#define BREAKS 0   // 1: the device breaks
#endif

// Faults, for -DFAULT=NAME.
#define HEADER_BEFORE_PAYLOAD 1  // the packet is published before its payload is written
#define PUBLISHED_RELAXED 2      // the sequence is stored without release
#define HEADER_READ_FIRST 3      // the consumer reads the header before the sequence
#define COUNTED_BEFORE_READ 4    // `consumed` is stored before the packet is read
#define CLAIMS_NOT_COUNTED 5     // open claims take no place in the ring
#define CANCEL_KEEPS_PLACE 6     // a cancelled claim still takes a place
#define RETURNED_BEFORE_READ 7   // a block is given back before its payload is read
#define MARK_BEFORE_BLOCK 8      // an entry of the return ring is marked before its block is named
#define RETURNS_TOO_FEW 9        // the return ring is smaller than what the consumer can hold
#define NO_SECOND_LOOK 10        // a side does not look for work again after announcing its sleep
#define RING_WITHOUT_FENCE 11    // the ringer looks for a sleeper before its own stores are visible
#define PLACE_NOT_RUNG 12        // the consumer rings for a block, but not for a place in the ring
#define CLOSE_NOT_RUNG 13        // a side does not ring when it closes
#define END_RELAXED 14           // the end is stored without release
#define LOSS_AT_FIRST_SIGHT 15   // look_ahead() reports a loss without looking again
#define DEATH_NOT_SEEN 16        // a side that waits for a place or a block does not check whether the peer is gone
#define CUT_ENDS_AT_ONCE 17      // a channel that was cut counts as drained, whatever it still holds
#define CANCELS_FOR_EVER 18      // a claim is taken and cancelled without end
#define DEVICE_RELAXED 19        // the device stores the publish word without release
#define HANDED_RELAXED 20        // the device gets a slot whose other words are not visible yet
#define TWO_QUEUES 21            // two queues of the device publish the slots of one channel
#define COMMIT_OVERTAKES 22      // the producer's own packet is published before a prepared one in front of it
#define DEVICE_OVERTAKES 23      // the device gets a slot behind a packet of the producer that waits
#define NEVER_FLUSHED 24         // a packet that waited for prepared ones stays where it is
#define SLOT_USED_UNSEEN 25      // a slot is used again before the producer saw that its last packet is out
#define PUBLICATION_NOT_RUNG 26  // the producer rings when it prepares, not when the device has published
#define COMPLETION_NOT_RUNG 27   // the device does not wake its producer
#define TAKEN_BACK 28            // a prepared slot is given up like a claim: the device's store comes after
#define REWRITTEN_EARLY 29       // the producer rewrites when the device breaks, which may still store
#define REWRITTEN_LANDED 30      // the producer rewrites without looking whether the packet is out
#define CLOSED_EARLY 31          // the producer closes before everything prepared is out
#ifndef FAULT
#define FAULT 0
#endif

#if FAULT == RETURNS_TOO_FEW
#undef RETURNS
#define RETURNS (BLOCKS - 1)
#endif

#define PRODUCER 0
#define CONSUMER 1
#define OTHER 2
#define NOBODY 3

// ---- Memory ---------------------------------------------------------------------------------------------------------

// The shared words. Each has one writer: the producer up to END, then the consumer.
#define SEQUENCE(slot) (slot)                    // publishes the slot: position + 1
#define HEADER(slot) (RING + (slot))             // the header's other words: 4 * sequence + block, or + POISON
#define INLINE(slot) (2 * RING + (slot))         // inline payload; any payload is the sequence of its packet
#define PAYLOAD(block) (3 * RING + (block))
#define END (3 * RING + BLOCKS)                  // producer_end: the sequence that would have come next
#define BLOCK(slot) (END + 1 + (slot))           // return ring: which block
#define MARK(slot) (END + 1 + RETURNS + (slot))  // return ring: the turn, position + 1
#define CONSUMED (END + 1 + 2 * RETURNS)
#define GONE (CONSUMED + 1)                      // consumer_gone, as the consumer stores it
#define WORDS (GONE + 1)
#define POISON 3
#if WORDS > 20
#error "more words than StoreBuffers knows"
#endif

byte published;       // packets, for the assertions only; those of a device once visible, and not after a cut
bool cut;             // consumer_gone and producer_gone, as the launcher stores them
byte memory[WORDS];   // what everybody sees
byte written[WORDS];  // its writer's last store; a value other than memory's is on its way
byte on_way[3];       // stores on their way, by process
#define drained(me) (on_way[me] == 0)

#define ARRIVE(w) :: d_step { (w) < WORDS && written[w] != memory[w] -> memory[w] = written[w]; on_way[((w) > END)]-- }
active proctype StoreBuffers() {  // of a dead process, too: its stores arrive
end:
  do
  ARRIVE(0) ARRIVE(1) ARRIVE(2) ARRIVE(3) ARRIVE(4) ARRIVE(5) ARRIVE(6) ARRIVE(7) ARRIVE(8) ARRIVE(9)
  ARRIVE(10) ARRIVE(11) ARRIVE(12) ARRIVE(13) ARRIVE(14) ARRIVE(15) ARRIVE(16) ARRIVE(17) ARRIVE(18) ARRIVE(19)
  od
}

inline store(me, word, value) {
  d_step {
    on_way[me] = on_way[me] - (written[word] != memory[word]) + (value != memory[word]);
    written[word] = value
  }
}

inline store_release(me, word, value) {
  d_step { drained(me) -> on_way[me] = (memory[word] != value); written[word] = value }
}

#if DEVICE
// The device's stores on their way. It has a store buffer of its own, because it writes words that are the producer's
// at other times.
#define ITS_SEQUENCE 0
#define ITS_PAYLOAD 1
byte flying[2];        // 0, or the word + 1
byte flying_value[2];
#define LANDED (flying[0] == 0 && flying[1] == 0)

#define LAND(kind) :: atomic { flying[kind] != 0 -> land(kind, flying[kind] - 1, flying_value[kind]) }
inline land(kind, word, value) {
  d_step {
    if
    :: written[word] == memory[word] -> written[word] = value
    :: else -> on_way[PRODUCER] = on_way[PRODUCER] - (written[word] == value)  // a word with two writers
    fi;
    published = published + (kind == ITS_SEQUENCE && !cut && memory[word] != value);
    memory[word] = value;
    flying_value[kind] = 0;
    flying[kind] = 0
  }
}
active proctype DeviceStoreBuffer() {  // of a broken device, too
end:
  do
  LAND(ITS_SEQUENCE) LAND(ITS_PAYLOAD)
  od
}

inline device_store(kind, word, value) {
  d_step { flying[kind] == 0 -> flying[kind] = (word) + 1; flying_value[kind] = value }
}

inline device_store_release(kind, word, value) {
  d_step { LANDED -> flying[kind] = (word) + 1; flying_value[kind] = value }
}
#endif

// ---- Death ----------------------------------------------------------------------------------------------------------

// The victim stops at any step or wait (`unless`). The launcher notices and cuts the channel at both ends; it rings
// nobody.
byte victim = NOBODY;
bool ended[2];

#if DEATHS
active proctype Launcher() {
  if
  :: victim = PRODUCER
  :: victim = CONSUMER
  fi;
  d_step { ended[victim] && drained(victim) -> cut = true }
}
#endif

// ---- Doorbells ------------------------------------------------------------------------------------------------------

// `rung` stands for `rings != seen`. The bump and the call that wakes are one step: a side that goes to sleep between
// them finds the bump and stays awake. prepare() ends in a fence, hence its stores are visible at once.
bool sleeping[2], rung[2];
bool timed_out[2];

#if FAULT == RING_WITHOUT_FENCE
#define fenced(me) true
#else
#define fenced(me) drained(me)
#endif

inline ring(me, bell) {
  if
  :: d_step { fenced(me) && !sleeping[bell] -> to_wake = false }
  :: d_step { fenced(me) && sleeping[bell] -> sleeping[bell] = false; to_wake = false }
    rung[bell] = true
  fi
}

inline prepare(me) {
  d_step { drained(me) -> rung[me] = false; sleeping[me] = true; prepared = true; idle = (FAULT == NO_SECOND_LOOK) }
}

// Part of the step in which the owner found something: a ringer in between would change nothing.
inline cancel_sleep(me) {
  sleeping[me] = sleeping[me] && !prepared;
  prepared = false
}

// The time-out serves a side that nobody rings. Here it comes only after a cut, and once: a missed ring must not pass
// for a long sleep.
inline sleep(me) {
  d_step {
    rung[me] || cut && !timed_out[me] ->
    timed_out[me] = timed_out[me] || !rung[me];
    sleeping[me] = false;
    prepared = false;
    idle = false
  }
}

#if OTHERS
active proctype Other() {
  bool to_wake;
  ring(OTHER, CONSUMER);
  ring(OTHER, PRODUCER)
}
#endif

// ---- A device that publishes ----------------------------------------------------------------------------------------

// It stores the payloads and publish words of prepared slots, in the order in which it was given them, at any time. It
// outlives its producer. When its stores are visible its driver rings the producer. Behind a packet of the producer
// that waits it gets no slot.
#if DEVICE
chan given = [RING] of { byte, byte };  // sequence, block
bool broken;                            // it stores nothing more, but what it stored may still be on its way
bool destroyed;                         // its context is destroyed: everything has arrived

#if BREAKS
active proctype Breakage() { broken = true }
#endif

#if FAULT == TWO_QUEUES
active [2] proctype Device() {
#else
active proctype Device() {
#endif
  byte n, b;
  bool to_wake;
  {
  end:
    do
    :: given ? n, b ->
      device_store(ITS_PAYLOAD, PAYLOAD(b), n);
#if FAULT == DEVICE_RELAXED
      device_store(ITS_SEQUENCE, SEQUENCE((n - 1) % RING), n);
#else
      device_store_release(ITS_SEQUENCE, SEQUENCE((n - 1) % RING), n);
#endif
      d_step { n = 0; b = 0; to_wake = BELLS && FAULT != COMPLETION_NOT_RUNG }
    :: to_wake && LANDED -> ring(OTHER, PRODUCER)
    od
  } unless { broken }
  d_step { LANDED -> destroyed = true; n = 0; b = 0; to_wake = BELLS }
endbroken:
  do
  :: to_wake -> ring(OTHER, PRODUCER)
  :: given ? _, _
  od
}
#endif

// ---- Both sides -----------------------------------------------------------------------------------------------------

// Each side runs a duty cycle, its parts in any order. A look that finds nothing makes it `idle`; an idle side that has
// nothing left to do prepares to sleep, looks again, and sleeps.

// For the assertions only:
byte copied;   // packets out of the ring, by the consumer
byte taken;    // blocks out of the return ring, by the producer
byte hand[3];  // by block: the packet whose payload the consumer is about to read
bool left;     // somebody closed early

// ---- The producer ---------------------------------------------------------------------------------------------------

mtype = {ABSENT, FREE, CLAIMED, OUT};  // a block, as BlockPool knows it
#define some(state) (pool[0] == state || pool[1] == state || pool[2] == state)

inline pick(state) {
  if
  :: pool[0] == state -> b = 0
  :: pool[1] == state -> b = 1
  :: pool[2] == state -> b = 2
  fi
}

#if FAULT == CLAIMS_NOT_COUNTED
#define FULL (committed - consumed >= RING)
#else
#define FULL (committed - consumed + open >= RING)
#endif
#if FAULT == DEATH_NOT_SEEN
#define CLOSED false
#else
#define CLOSED (memory[GONE] || cut)
#endif
#define CLAIMABLE (committed + open < PACKETS && (some(FREE) || poisons_left > 0))
#define CLAIMS (some(CLAIMED) || poisons > 0)
#define SLOT (committed % RING)
#define RETURN_SLOT (taken % RETURNS)
#if DEVICE
// The oldest slot that is not known to be out: the device's, or the producer's own, held until its turn.
#define TURN (landed % RING)
#define OUT_ALREADY (memory[SEQUENCE(TURN)] == landed + 1)
#define IN_TURN (landed == committed || FAULT == COMMIT_OVERTAKES)
#define WAITS (held[0] || held[1 % RING] || held[2 % RING])
#define FLUSHABLE (landed < committed && (held[TURN] && FAULT != NEVER_FLUSHED || !held[TURN] && OUT_ALREADY))
#if FAULT == REWRITTEN_EARLY
#define SILENT broken
#else
#define SILENT destroyed
#endif
#define LOST (landed < committed && SILENT && !held[TURN] && (!OUT_ALREADY || FAULT == REWRITTEN_LANDED))
// The next slot may still be in the books.
#define BOOKED (committed + open - landed >= RING && FAULT != SLOT_USED_UNSEEN)
#else
#define FLUSHABLE false
#define LOST false
#endif

// A claim is a place in the ring with a block, or with the right to send poison.
inline reserve() {
  atomic {
    if
    :: FULL ->
      assert(consumed <= memory[CONSUMED] && memory[CONSUMED] <= committed);  // plausible()
      consumed = memory[CONSUMED]
    :: else
    fi;
    if
    :: FULL || !CLAIMABLE -> idle = true
#if DEVICE
    :: !FULL && CLAIMABLE && BOOKED -> assert(FLUSHABLE)  // its last packet was read, so it is out
#endif
    :: else ->
      open++;
      if
      :: some(FREE) -> pick(FREE); pool[b] = CLAIMED; b = 0
      :: poisons_left > 0 -> poisons_left--; poisons++
      fi;
      cancel_sleep(PRODUCER)
    fi
  }
}

// Takes up any open claim, to commit or to cancel it: a block, or POISON.
inline take_up() {
  if
  :: some(CLAIMED) -> pick(CLAIMED)
  :: poisons > 0 -> poisons--; b = POISON
  fi;
  idle = false
}

inline cancel() {
  take_up();
  cancels_left = cancels_left - (FAULT != CANCELS_FOR_EVER);
  open = open - (FAULT != CANCEL_KEEPS_PLACE);
  if
  :: b == POISON -> poisons_left++
  :: else -> pool[b] = FREE
  fi;
  b = 0
}

inline store_payload() {
  if
  :: b == POISON -> store(PRODUCER, INLINE(SLOT), committed + 1)
  :: else -> store(PRODUCER, PAYLOAD(b), committed + 1)
  fi
}

// Relaxed stores in a row are one step: they may arrive in any order anyway.
inline write() {
  take_up();
  assert(committed - copied < RING);
#if FAULT != HEADER_BEFORE_PAYLOAD
  store_payload();
#endif
  store(PRODUCER, HEADER(SLOT), 4 * (committed + 1) + b)
}

inline publish() {
  atomic {
#if FAULT == PUBLISHED_RELAXED
    store(PRODUCER, SEQUENCE(SLOT), committed + 1);
    published++;
#elif DEVICE
    if
    :: IN_TURN ->
      store_release(PRODUCER, SEQUENCE(SLOT), committed + 1);
      published++;
      landed = landed + (landed == committed)
    :: !IN_TURN -> held[SLOT] = true
    fi;
#else
    store_release(PRODUCER, SEQUENCE(SLOT), committed + 1);
    published++;
#endif
#if FAULT == HEADER_BEFORE_PAYLOAD
  }
  atomic {
    store_payload();
#endif
    if
    :: b != POISON -> pool[b] = OUT
    :: else
    fi;
    b = 0;
    committed++;
    open--;
    to_wake = BELLS
  }
}

#if DEVICE
// The slot is written but for its publish word, and takes the next sequence. The device gets it once it is visible.
inline prepare_slot() {
  pick(CLAIMED);
  idle = false;
  assert(committed - copied < RING);
  store(PRODUCER, HEADER(SLOT), 4 * (committed + 1) + b)
}

inline hand_over() {
  atomic {
#if FAULT != HANDED_RELAXED
    drained(PRODUCER);
#endif
    given ! committed + 1, b;
    pool[b] = OUT;
    b = 0;
    committed++;
    open--;
    to_wake = to_wake || BELLS && FAULT == PUBLICATION_NOT_RUNG
  }
}

inline flush() {
  atomic {
    if
    :: held[TURN] ->
      store_release(PRODUCER, SEQUENCE(TURN), landed + 1);
      published = published + !OUT_ALREADY;
      held[TURN] = false;
      to_wake = BELLS
    :: !held[TURN] -> to_wake = to_wake || BELLS && FAULT != PUBLICATION_NOT_RUNG
    fi;
    landed++;
    cancel_sleep(PRODUCER)
  }
}

// Poison in the place of what can no longer land, the oldest first. The consumer has never seen its block.
inline rewrite() {
  d_step {
    pool[written[HEADER(TURN)] % 4] = FREE;
    store(PRODUCER, INLINE(TURN), landed + 1);
    store(PRODUCER, HEADER(TURN), 4 * (landed + 1) + POISON);
    held[TURN] = true;
    cancel_sleep(PRODUCER)
  }
}

inline take_back() {  // a fault
  d_step {
    committed--;
    pool[written[HEADER(SLOT)] % 4] = FREE;
    cancel_sleep(PRODUCER)
  }
}
#endif

inline poll_returns() {
  d_step {
    b = memory[BLOCK(RETURN_SLOT)];
    assert(b < BLOCKS && pool[b] == OUT);
    assert(hand[b] == 0);
    pool[b] = FREE;
    taken++;
    b = 0;
    cancel_sleep(PRODUCER)
  }
}

active proctype Producer() {
  byte committed, consumed, open, poisons, b;
  byte poisons_left = POISONS, cancels_left = CANCELS;
#if DEVICE
  byte landed;      // packets known to be out
  bool held[RING];  // the producer's own packets that wait for those before them
#endif
  bool idle, prepared, to_wake;
  mtype pool[3] = ABSENT;
  d_step { pool[0] = FREE; pool[1] = (BLOCKS > 1 -> FREE : ABSENT); pool[2] = (BLOCKS > 2 -> FREE : ABSENT) }
  {
    do
    :: !idle && memory[MARK(RETURN_SLOT)] == taken + 1 -> poll_returns()
    :: atomic {
        !idle && memory[MARK(RETURN_SLOT)] != taken + 1 && !FLUSHABLE && !LOST ->
        assert(memory[MARK(RETURN_SLOT)] == (taken < RETURNS -> 0 : taken + 1 - RETURNS))
      }
      if
      :: CLOSED -> break
      :: LEAVES -> left = true; break
      :: !CLOSED && committed == PACKETS -> break  // with or without its blocks back
      :: !CLOSED && committed == PACKETS && some(OUT) -> idle = true
      :: !CLOSED && committed < PACKETS -> reserve()
      fi
    :: atomic { CLAIMS && cancels_left > 0 -> cancel() }
    :: atomic { CLAIMS -> write() }
      publish()
#if DEVICE
    :: atomic { some(CLAIMED) && (!WAITS || FAULT == DEVICE_OVERTAKES) -> prepare_slot() }
      hand_over()
    :: !idle && FLUSHABLE -> flush()
    :: !idle && LOST -> rewrite()
#if FAULT == TAKEN_BACK
    :: landed < committed && !held[(committed - 1) % RING] -> take_back()
#endif
#endif
#if BELLS
    :: to_wake -> ring(PRODUCER, CONSUMER)
    :: idle && !prepared && !CLAIMS && !to_wake -> prepare(PRODUCER)
    :: idle && prepared -> sleep(PRODUCER)
#else
    :: d_step {
        idle && (memory[MARK(RETURN_SLOT)] == taken + 1 || CLOSED || FLUSHABLE || LOST ||
                 FULL && CLAIMABLE && memory[CONSUMED] != consumed) -> idle = false
      }
#endif
    od;
    atomic {  // whatever the other side holds, its own books agree
      open = open - (pool[0] == CLAIMED) - (pool[1] == CLAIMED) - (pool[2] == CLAIMED) - poisons;
      assert(open == 0)
    }
#if DEVICE && FAULT != CLOSED_EARLY
    do
    :: FLUSHABLE -> flush()
    :: LOST -> rewrite()
    :: landed == committed -> break
    od;
#endif
#if FAULT == END_RELAXED
    store(PRODUCER, END, committed + 1);
#else
    store_release(PRODUCER, END, committed + 1);
#endif
#if BELLS && FAULT != CLOSE_NOT_RUNG
    ring(PRODUCER, CONSUMER)
#endif
  } unless { victim == PRODUCER }
  d_step {
    ended[PRODUCER] = true;
    // Its state matters no more; clearing it saves states.
    committed = 0; consumed = 0; open = 0; poisons = 0; b = 0; poisons_left = 0; cancels_left = 0;
    idle = false; prepared = false; to_wake = false;
    pool[0] = ABSENT; pool[1] = ABSENT; pool[2] = ABSENT
#if DEVICE
    landed = 0; held[0] = false; held[1 % RING] = false; held[2 % RING] = false
#endif
  }
}

// ---- The consumer ---------------------------------------------------------------------------------------------------

#undef SLOT
#undef RETURN_SLOT
#define SLOT (position % RING)
#define RETURN_SLOT (returned % RETURNS)
#define NEXT (position + 1)
#define STALE (position < RING -> 0 : NEXT - RING)
#define HOLDING (hand[0] != 0 || hand[1] != 0 || hand[2] != 0)

inline read() {
#if FAULT == COUNTED_BEFORE_READ
  store_release(CONSUMER, CONSUMED, NEXT);
#endif
  d_step {
#if FAULT != HEADER_READ_FIRST
    header = memory[HEADER(SLOT)];
#endif
    assert(header / 4 == NEXT);
    b = header % 4;
    header = 0
  }
}

inline count() {
  atomic {
#if FAULT != COUNTED_BEFORE_READ
    store_release(CONSUMER, CONSUMED, NEXT);
#endif
    position++;
#if FAULT == HEADER_READ_FIRST
    header = memory[HEADER(SLOT)];
#endif
    b = 0;
    to_wake = to_wake || BELLS && FAULT != PLACE_NOT_RUNG;
    cancel_sleep(CONSUMER)
  }
}

// The expected packet is not here. If the next one is, or the end is elsewhere, it was lost, unless it came while we
// looked. The model asks after every empty look, the code more seldom: the answer changes nothing but a verdict.
inline look_ahead() {
  end = (RING > 1 && memory[SEQUENCE((position + 1) % RING)] == NEXT + 1 -> NEXT + 1 : memory[END])
}
#define ALARM (end != 0 && end != NEXT)
#if FAULT == CUT_ENDS_AT_ONCE
#define DRAINED (memory[END] == NEXT || cut)
#else
#define DRAINED (memory[END] == NEXT || cut && memory[SEQUENCE(SLOT)] == STALE)
#endif

inline read_payload() {
  d_step {
    assert(hand[b] == 0 || memory[PAYLOAD(b)] == hand[b]);
    hand[b] = 0
  }
}

inline give_back() {
  d_step {
    assert(returned - taken < RETURNS);
#if FAULT != MARK_BEFORE_BLOCK
    store(CONSUMER, BLOCK(RETURN_SLOT), b)
#endif
  }
  atomic {
    store_release(CONSUMER, MARK(RETURN_SLOT), returned + 1);
#if FAULT == MARK_BEFORE_BLOCK
  }
  atomic {
    store(CONSUMER, BLOCK(RETURN_SLOT), b);
#endif
#if FAULT == RETURNED_BEFORE_READ
  }
  read_payload();
  atomic {
#endif
    returned++;
    b = 0;
    to_wake = BELLS
  }
}

active proctype Consumer() {
  byte position, returned, header, end, b;
  bool idle, prepared, to_wake;
  {
    do
    :: !idle && memory[SEQUENCE(SLOT)] == NEXT ->
      read();
      if
      :: d_step { b == POISON -> assert(memory[INLINE(SLOT)] == NEXT); copied++ }
      :: d_step { b != POISON -> assert(hand[b] == 0); hand[b] = NEXT; copied++ }
      :: d_step { b != POISON -> assert(hand[b] == 0); copied++ }
        give_back()  // unread: a token that came too late
      fi;
      count()
    :: !idle && memory[SEQUENCE(SLOT)] == STALE ->
      look_ahead();
      if
      :: d_step {
          ALARM ->
          assert(FAULT != LOSS_AT_FIRST_SIGHT && memory[SEQUENCE(SLOT)] == NEXT);
          idle = true;
          end = 0
        }
      :: !ALARM && DRAINED && !HOLDING -> break
      :: LEAVES -> left = true; break
      :: d_step { !ALARM && !(DRAINED && !HOLDING) -> idle = true; end = 0 }
      fi
    :: !idle && memory[SEQUENCE(SLOT)] != NEXT && memory[SEQUENCE(SLOT)] != STALE -> assert(false)
    :: atomic {  // a firing ends at any time; until then its controller does not sleep
        HOLDING ->
        idle = false;
        if
        :: hand[0] != 0 -> b = 0
        :: hand[1] != 0 -> b = 1
        :: hand[2] != 0 -> b = 2
        fi
      }
#if FAULT != RETURNED_BEFORE_READ
      read_payload();
#endif
      give_back()
#if BELLS
    :: to_wake -> ring(CONSUMER, PRODUCER)
    :: idle && !prepared && !HOLDING && !to_wake -> prepare(CONSUMER)
    :: idle && prepared -> sleep(CONSUMER)
#else
    :: d_step {
        idle && (memory[SEQUENCE(SLOT)] == NEXT || !HOLDING && (memory[END] == NEXT || cut)) -> idle = false
      }
#endif
    od;
    atomic {
      assert(left || position == published || DEVICE && cut && position > published);
      assert(left || victim != NOBODY || position == PACKETS)
    }
    store_release(CONSUMER, GONE, 1);
#if BELLS && FAULT != CLOSE_NOT_RUNG
    ring(CONSUMER, PRODUCER)
#endif
  } unless { victim == CONSUMER }
  d_step {
    ended[CONSUMER] = true;
    position = 0; returned = 0; header = 0; end = 0; b = 0;
    idle = false; prepared = false; to_wake = false
  }
}
