// What the scripts of tasks share. All keys of one queue have the same hash tag, so that each transition is one script on one node.
//
// KEYS[1] is the queue: the beginning of its keys, and its channel. KEYS[2] is a key that never exists: while the slot of a cluster
// moves, Redis refuses a command with several keys that are not all there, so that no script ever sees half of a queue. ARGV[1] is
// publish or spublish.
//   <queue>:t:<id>              a task: a hash, see below
//   <queue>:r:<kind>            ready: ids by their turn; those whose worker was lost come first
//   <queue>:w:<owner>           the ids of one owner that are ready, by their turn
//   <queue>:d                   due: ids by the time at which something has to be done about them
//   <queue>:o:<dialect>:<owner> the tasks of an owner: ids by creation
//   <queue>:n                   how many are open: of each owner, and `*` of all; `last`: the newest creation; `turn`: the turn that was
//                               claimed last
//   <queue>:b                   bytes: of each owner, and `*` of all; `=<id>`: bytes and owner of a task that has ended, since its key may
//                               expire before anybody looks
//
// Turns are fair queueing by start times: a task that becomes ready gets the turn that is claimed now, or the one after the last of its
// owner. So the tasks of one owner stand one turn apart, and those of another do not wait behind all of them.
//
// Fields of a task: o owner, k kind, d dialect, i input, g what was given (to know a repeat), t time to live (empty: no limit),
// K keepMs, p poll interval, m the most attempts, N not before, c created, z created in microseconds and unlike any other,
// P place (r ready, l leased, p parked, e ended), s status, x message, a attempt, y runs that count, L end of the lease,
// C cancelled at, r revision, u updated, E ended, b bytes, J has a journal, A answered since it asked, n open questions, e outcome, and by their names
// s:… steps, q:… open questions, w:… answers.

import { FREE_OUTCOME_BYTES, TASK_BYTES } from '../../backend/byte-budget.ts'
import { NOBODY } from '../../backend/task-store.ts'

export const COMMON = `
local queue, publish = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local FOREVER = 34560000000
local FRONT = 4000000000000000
local READ = { 'P', 'a', 'y', 'm', 's', 't', 'K', 'c', 'C', 'L', 'r', 'u', 'k', 'o', 'd', 'z', 'E', 'n', 'A', 'N', 'b' }
local DUE, OPEN, BYTES = queue .. ':d', queue .. ':n', queue .. ':b'
local TASK_BYTES, FREE_OUTCOME_BYTES = ${TASK_BYTES}, ${FREE_OUTCOME_BYTES}

local function keyOf(id) return queue .. ':t:' .. id end
local function readyOf(task) return queue .. ':r:' .. task.k end
local function number(text) return tonumber(text or '') end
local function tell(text) redis.call(publish, queue, text) end

local function load(id)
  local values = redis.call('HMGET', keyOf(id), unpack(READ))
  if not values[1] then return nil end
  local task = { id = id, key = keyOf(id) }
  for index, name in ipairs(READ) do task[name] = values[index] end
  return task
end

local function endOfTime(task) return task.c + (number(task.t) or FOREVER) end

local function goneAt(task) return math.max(endOfTime(task), task.E + task.K) end

-- When something has to be done about the task next.
local function setDue(task)
  local at = endOfTime(task)
  if task.P == 'e' then at = goneAt(task)
  elseif task.P == 'l' then at = math.min(number(task.L), number(task.C) or FOREVER * 1000)
  elseif number(task.N) then at = math.min(at, number(task.N)) end
  redis.call('ZADD', DUE, at, task.id)
end

local function lineOf(task) return queue .. ':w:' .. task.o end

local function offer(task)
  local turn = tonumber(redis.call('HGET', OPEN, 'turn') or 0)
  local last = redis.call('ZRANGE', lineOf(task), -1, -1, 'WITHSCORES')
  if last[2] then turn = math.max(turn, last[2] + 1) end
  redis.call('ZADD', readyOf(task), turn, task.id)
  redis.call('ZADD', lineOf(task), turn, task.id)
  redis.call('PEXPIRE', lineOf(task), FOREVER)
  tell('w')
end

local function withdraw(task)
  redis.call('ZREM', readyOf(task), task.id)
  redis.call('ZREM', lineOf(task), task.id)
end

local function weigh(owner, change)
  if change == 0 then return end
  redis.call('HINCRBY', BYTES, '*', change)
  local field = ':' .. owner
  if redis.call('HINCRBY', BYTES, field, change) <= 0 then redis.call('HDEL', BYTES, field) end
end

local function grow(task, change)
  task.b = (number(task.b) or 0) + change
  redis.call('HSET', task.key, 'b', task.b)
  weigh(task.o, change)
end

-- The name of the limit that so many more bytes would pass. An empty limit does not count.
local function tooManyBytes(owner, bytes, ofOwner, ofAll)
  if bytes <= 0 then return nil end
  local function passes(field, limit)
    return limit ~= '' and tonumber(redis.call('HGET', BYTES, field) or 0) + bytes > tonumber(limit)
  end
  if owner ~= '${NOBODY}' and passes(':' .. owner, ofOwner) then return 'maxBytesPerOwner' end
  if passes('*', ofAll) then return 'maxBytes' end
end

-- The time on the wire grows, so that a result that is fresh is never dropped.
local function keepAlive(task, step)
  local needed = now - task.c + task.K
  if not number(task.t) or number(task.t) >= needed then return false end
  task.t = needed + step
  return true
end

local function touch(task)
  task.u = math.max(now, number(task.u))
  task.r = task.r + 1
end

local function save(task, ...)
  redis.call('HSET', task.key, 'r', task.r, 'u', task.u, ...)
end

local function count(task, change)
  redis.call('HINCRBY', OPEN, '*', change)
  local field = ':' .. task.o
  if redis.call('HINCRBY', OPEN, field, change) <= 0 then redis.call('HDEL', OPEN, field) end
end

local function forget(task)
  redis.call('DEL', task.key)
  redis.call('ZREM', DUE, task.id)
  withdraw(task)
  weigh(task.o, -(number(task.b) or 0))
  redis.call('HDEL', BYTES, '=' .. task.id)
  redis.call('ZREM', queue .. ':o:' .. task.d .. ':' .. task.o, task.id)
end

-- For good: nothing changes afterwards.
local function close(task, status, ...)
  local field, text = ...
  withdraw(task)
  grow(task, TASK_BYTES + (field == 'e' and #text or 0) - (number(task.b) or 0))
  redis.call('HSET', BYTES, '=' .. task.id, task.b .. ' ' .. task.o)
  local gone = { 'i' }
  for _, name in ipairs(redis.call('HKEYS', task.key)) do
    if string.find(name, ':', 2, true) == 2 then gone[#gone + 1] = name end
  end
  for from = 1, #gone, 1000 do redis.call('HDEL', task.key, unpack(gone, from, math.min(from + 999, #gone))) end
  task.P, task.s, task.E, task.n = 'e', status, now, 0
  keepAlive(task, 0)
  touch(task)
  save(task, 'P', 'e', 's', status, 'E', now, 'n', 0, 't', task.t, 'a', task.a, ...)
  setDue(task)
  -- Long after somebody has looked, so that all other keys forget the task first.
  redis.call('PEXPIRE', task.key, math.max(goneAt(task) - now, 0) + 86400000)
  count(task, -1)
  tell('c' .. task.id)
end

-- The store's own end: no outcome, and whoever runs it has lost it.
local function finishAs(task, status, message)
  task.a = task.a + 1
  if message then close(task, status, 'x', message) else close(task, status) end
end

local function settleCancelled(task)
  if task.P == 'e' or not number(task.C) or number(task.C) > now then return false end
  finishAs(task, 'cancelled')
  return true
end

local function isLost(task) return task.P == 'l' and number(task.L) <= now end

-- Ends what is overdue. Nothing is returned for a task that is gone.
local function settle(task)
  if not task then return nil end
  if task.P ~= 'e' and not settleCancelled(task) then
    if isLost(task) then
      if number(task.C) then finishAs(task, 'cancelled')
      elseif number(task.y) >= number(task.m) then finishAs(task, 'failed', 'The worker was lost.') end
    elseif task.P ~= 'l' and endOfTime(task) <= now then
      finishAs(task, 'failed', task.P == 'p' and 'Nobody answered the question in time.' or 'The task was not run in time.')
    end
  end
  if task.P == 'e' and now >= goneAt(task) then
    forget(task)
    return nil
  end
  return task
end

-- The task, for whoever has the claim: however late, unless somebody else has claimed or ended it.
local function held(id, attempt)
  local task = load(id)
  if not task or task.P ~= 'l' or number(task.a) ~= tonumber(attempt) or settleCancelled(task) then return nil end
  return task
end

-- For whoever runs it: id, kind, input, attempt, and where there is a journal its fields.
local function claimOf(task)
  local kept = redis.call('HMGET', task.key, 'i', 'J')
  local claim = { task.id, task.k, kept[1], tonumber(task.a) }
  if not kept[2] then return claim end
  local fields = redis.call('HGETALL', task.key)
  for index = 1, #fields, 2 do
    local kind = string.sub(fields[index], 1, 2)
    if kind == 's:' or kind == 'w:' then
      claim[#claim + 1] = fields[index]
      claim[#claim + 1] = fields[index + 1]
    end
  end
  return claim
end

local function sweep()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', DUE, '-inf', now, 'LIMIT', 0, 100)) do
    local known = load(id)
    if not known then
      redis.call('ZREM', DUE, id)
      local bytes, owner = string.match(redis.call('HGET', BYTES, '=' .. id) or '', '^(%d+) (.*)$')
      if bytes then
        weigh(owner, -bytes)
        redis.call('HDEL', BYTES, '=' .. id)
      end
    end
    local task = settle(known)
    if task and isLost(task) then
      redis.call('ZADD', readyOf(task), task.z - FRONT, id)
      redis.call('ZADD', DUE, task.c + FOREVER, id)
      tell('w')
    elseif task then
      if number(task.N) and number(task.N) <= now then
        if task.P == 'r' then offer(task) end
        task.N = ''
        redis.call('HDEL', task.key, 'N')
      end
      setDue(task)
    end
  end
end
`
