// The transitions of tasks, each one atomic step.
import { NOBODY } from '../../backend/task-store.ts'
import { Script } from './script.ts'
import { COMMON } from './task-common.ts'

const script = (text: string) => new Script(`${COMMON}${text}`)

/**
 * ARGV[2] on: id, owner, kind, dialect, input, what was given, ttl, keep, poll, most attempts, not before, lease (empty: none), limits
 * (open tasks of the owner and of all, bytes of the owner and of all; empty: none), then fields and values of the journal. Returns the
 * claim where it is claimed, -1 where another task has the id, the name of a limit that it would pass.
 */
export const CREATE = script(`
local _, id, owner, kind, dialect, input, given, ttl, keep, poll, most, wait, lease = unpack(ARGV, 1, 13)
local known = settle(load(id))
if known then
  local there = redis.call('HMGET', known.key, 'g', 'i')
  local isSame = known.o == owner and known.k == kind and known.d == dialect and there[1] == given
  if not isSame or (known.P ~= 'e' and there[2] ~= input) then return -1 end
  if lease ~= '' and known.P == 'l' and known.a == '1' then return claimOf(known) end
  return false
end
local ofOwner, ofAll, bytesOfOwner, bytesOfAll = unpack(ARGV, 14, 17)
local bytes = TASK_BYTES + #input
for index = 18, #ARGV, 2 do bytes = bytes + #ARGV[index] - 2 + #ARGV[index + 1] end
local function isFull(field, limit) return limit ~= '' and tonumber(redis.call('HGET', OPEN, field) or 0) >= tonumber(limit) end
local function reached()
  if owner ~= '${NOBODY}' and isFull(':' .. owner, ofOwner) then return 'perOwner' end
  if isFull('*', ofAll) then return 'total' end
  return tooManyBytes(owner, bytes, bytesOfOwner, bytesOfAll)
end
local limit = reached()
if limit then
  sweep()
  limit = reached()
end
if limit then return limit end
local stamp = math.max(micros, tonumber(redis.call('HGET', OPEN, 'last') or 0) + 1)
local created = math.floor(stamp / 1000)
local task = { id = id, key = keyOf(id), P = 'r', c = created, z = stamp, t = ttl, K = tonumber(keep), k = kind, o = owner, d = dialect, b = bytes }
weigh(owner, bytes)
local fields = { 'o', owner, 'k', kind, 'd', dialect, 'i', input, 'g', given, 't', ttl, 'K', keep, 'p', poll, 'm', most,
  'c', created, 'z', string.format('%.0f', stamp), 's', 'working', 'r', 1, 'u', created, 'n', 0, 'b', bytes }
local function set(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
if lease ~= '' then
  task.P, task.L = 'l', now + lease
  set('L', task.L)
elseif tonumber(wait) > 0 then
  task.N = created + wait
  set('N', task.N)
end
set('P', task.P)
set('a', lease ~= '' and 1 or 0)
set('y', lease ~= '' and 1 or 0)
redis.call('HSET', task.key, unpack(fields))
if #ARGV > 17 then redis.call('HSET', task.key, 'J', 1) end
for from = 18, #ARGV, 1000 do redis.call('HSET', task.key, unpack(ARGV, from, math.min(from + 999, #ARGV))) end
local list = queue .. ':o:' .. dialect .. ':' .. owner
redis.call('ZADD', list, stamp, id)
redis.call('HSET', OPEN, 'last', string.format('%.0f', stamp))
setDue(task)
count(task, 1)
if task.P == 'r' and not task.N then offer(task) end
for _, key in ipairs({ task.key, list, DUE, OPEN, BYTES, readyOf(task) }) do redis.call('PEXPIRE', key, FOREVER) end
task.a = 1
return lease ~= '' and claimOf(task) or false
`)

/** ARGV: lease, the most, kinds. */
export const CLAIM = script(`
local lease, most = tonumber(ARGV[2]), tonumber(ARGV[3])
sweep()
local turn = tonumber(redis.call('HGET', OPEN, 'turn') or 0)
local next = turn
local heads = {}
local function look(index)
  local head = redis.call('ZRANGE', queue .. ':r:' .. ARGV[index], 0, 0, 'WITHSCORES')
  heads[index] = head[1] and { id = head[1], at = tonumber(head[2]) } or nil
end
for index = 4, #ARGV do look(index) end
local claims = {}
while #claims < most do
  local first
  for index = 4, #ARGV do
    if heads[index] and (not first or heads[index].at < heads[first].at) then first = index end
  end
  if not first then break end
  local id = heads[first].id
  redis.call('ZREM', queue .. ':r:' .. ARGV[first], id)
  local task = settle(load(id))
  if task then withdraw(task) end
  if task and (task.P == 'r' or isLost(task)) then
    task.P, task.L, task.a = 'l', now + lease, task.a + 1
    redis.call('HSET', task.key, 'P', 'l', 'L', task.L, 'a', task.a, 'y', task.y + 1)
    setDue(task)
    claims[#claims + 1] = claimOf(task)
    next = math.max(next, heads[first].at)
  end
  look(first)
end
if next > turn then redis.call('HSET', OPEN, 'turn', string.format('%.0f', next)) end
return claims
`)

/** What everybody may see: neither the input nor the journal. */
const VIEW = `
local function view(task)
  local more = redis.call('HMGET', task.key, 'x', 'p', 'e')
  local shown = { task.id, task.o, task.k, task.d, task.s, task.c, task.u, task.t, task.a, task.r, more[1], more[2], more[3], task.z,
    task.P ~= 'e' and number(task.C) and 1 or 0 }
  if number(task.n) == 0 then return shown end
  local fields = redis.call('HGETALL', task.key)
  for index = 1, #fields, 2 do
    if string.sub(fields[index], 1, 2) == 'q:' then
      shown[#shown + 1] = string.sub(fields[index], 3)
      shown[#shown + 1] = fields[index + 1]
    end
  end
  return shown
end
`

/** ARGV: id. */
export const GET = script(`${VIEW}
local task = settle(load(ARGV[2]))
return task and view(task) or false
`)

/** ARGV: dialect and owner, id. Returns when the task was created, in microseconds, where it is one of theirs. */
export const CREATED = script(`
local task = settle(load(ARGV[3]))
return task and redis.call('ZSCORE', queue .. ':o:' .. ARGV[2], ARGV[3]) or false
`)

/** ARGV: dialect and owner, the least time of creation, how many. */
export const LIST = script(`${VIEW}
local list, from, most = queue .. ':o:' .. ARGV[2], ARGV[3], tonumber(ARGV[4])
local found, skip = {}, 0
while #found < most do
  local ids = redis.call('ZRANGEBYSCORE', list, from, '+inf', 'LIMIT', skip, most)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    local known = load(id)
    local task = settle(known)
    if task then
      if #found < most then found[#found + 1] = view(task) end
      skip = skip + 1
    elseif not known then
      redis.call('ZREM', list, id)
    end
  end
end
return found
`)

/** ARGV: field of the counter. */
export const COUNT = script(`
sweep()
return tonumber(redis.call('HGET', OPEN, ARGV[2]) or 0)
`)

/** ARGV: owner (empty: that of the task), id. Returns the owner, and of it and of all: open tasks, bytes. */
export const USE = script(`
local owner = ARGV[2]
if owner == '' then owner = redis.call('HGET', keyOf(ARGV[3]), 'o') or '' end
local function read(key, field) return tonumber(redis.call('HGET', key, field) or 0) end
return { owner, read(OPEN, ':' .. owner), read(OPEN, '*'), read(BYTES, ':' .. owner), read(BYTES, '*') }
`)

/** ARGV: id, attempt, lease, 1 with a message, message. */
export const RENEW = script(`
local task = held(ARGV[2], ARGV[3])
if not task then return 'lost' end
task.L = now + ARGV[4]
redis.call('HSET', task.key, 'L', task.L)
withdraw(task)
setDue(task)
-- By so much that most renewals change nothing.
local grew = keepAlive(task, math.max(task.K, 60000))
local isNews = ARGV[5] == '1' and redis.call('HGET', task.key, 'x') ~= ARGV[6]
if isNews then redis.call('HSET', task.key, 'x', ARGV[6]) end
if grew or isNews then
  touch(task)
  save(task, 't', task.t)
  tell('c' .. task.id)
end
return number(task.C) and 'cancelling' or 'held'
`)

/** ARGV: id, attempt, ttl (empty: no change, none: no limit), poll interval (empty: no change). */
export const EXTEND = script(`
local task = held(ARGV[2], ARGV[3])
if not task then return 0 end
if ARGV[4] == 'none' then task.t = ''
elseif ARGV[4] ~= '' and number(task.t) then task.t = math.max(number(task.t), tonumber(ARGV[4])) end
if ARGV[5] ~= '' then redis.call('HSET', task.key, 'p', ARGV[5]) end
touch(task)
save(task, 't', task.t)
tell('c' .. task.id)
return 1
`)

/** ARGV: id, attempt, limits of bytes of the owner and of all, name, value. Returns the name of a limit that it would pass. */
export const KEEP_STEP = script(`
local task = held(ARGV[2], ARGV[3])
if not task then return 0 end
local field, bytes = 's:' .. ARGV[6], #ARGV[6] + #ARGV[7]
if redis.call('HEXISTS', task.key, field) == 1 then return 1 end
local limit = tooManyBytes(task.o, bytes, ARGV[4], ARGV[5])
if limit then return limit end
redis.call('HSET', task.key, field, ARGV[7], 'J', 1)
grow(task, bytes)
return 1
`)

/** ARGV: id, attempt. */
export const JOURNAL = script(`
local task = held(ARGV[2], ARGV[3])
return task and claimOf(task) or false
`)

/** ARGV: id, attempt, limits of bytes of the owner and of all, then keys and questions. Returns the name of a limit that it would pass. */
export const ASK = script(`
local task = held(ARGV[2], ARGV[3])
if not task then return 0 end
local fresh, bytes = {}, 0
for index = 6, #ARGV, 2 do
  local name, question = ARGV[index], ARGV[index + 1]
  if redis.call('HEXISTS', task.key, 'w:' .. name) == 0 and redis.call('HEXISTS', task.key, 'q:' .. name) == 0 then
    fresh[#fresh + 1] = { 'q:' .. name, question }
    bytes = bytes + #name + #question
  end
end
if #fresh == 0 then
  redis.call('HSET', task.key, 'A', 0)
  return 1
end
local limit = tooManyBytes(task.o, bytes, ARGV[4], ARGV[5])
if limit then return limit end
local asked = 0
for _, pair in ipairs(fresh) do asked = asked + redis.call('HSETNX', task.key, pair[1], pair[2]) end
grow(task, bytes)
touch(task)
save(task, 'A', 0, 'n', task.n + asked, 's', 'input_required')
tell('c' .. task.id)
return 1
`)

/** ARGV: id, limits of bytes of the owner and of all, then keys and answers. Returns the name of a limit that it would pass. */
export const ANSWER = script(`
local task = settle(load(ARGV[2]))
if not task then return 'unknown' end
if task.P == 'e' then return 'ended' end
local bytes = 0
for index = 5, #ARGV, 2 do
  local question = redis.call('HGET', task.key, 'q:' .. ARGV[index])
  if question then bytes = bytes + #ARGV[index + 1] - #question end
end
local limit = tooManyBytes(task.o, bytes, ARGV[3], ARGV[4])
if limit then return limit end
local taken = 0
for index = 5, #ARGV, 2 do
  if redis.call('HDEL', task.key, 'q:' .. ARGV[index]) == 1 then
    redis.call('HSETNX', task.key, 'w:' .. ARGV[index], ARGV[index + 1])
    taken = taken + 1
  end
end
if taken == 0 then return 'taken' end
grow(task, bytes)
task.n = task.n - taken
local wasParked = task.P == 'p'
if wasParked then task.P = 'r' end
touch(task)
save(task, 'A', 1, 'J', 1, 'n', task.n, 's', task.n == 0 and 'working' or 'input_required', 'P', task.P)
tell('c' .. task.id)
if wasParked then offer(task) end
return 'taken'
`)

/** ARGV: id, attempt, park or release. */
export const GIVE_UP = script(`
local task = held(ARGV[2], ARGV[3])
if not task then return 0 end
if number(task.C) then
  finishAs(task, 'cancelled')
  return 1
end
local isReady = ARGV[4] == 'release' or task.A == '1' or number(task.n) == 0
task.P = isReady and 'r' or 'p'
redis.call('HSET', task.key, 'P', task.P, 'y', task.y - 1)
withdraw(task)
setDue(task)
if isReady then offer(task) end
return 1
`)

/** ARGV: id, attempt. */
export const DISCARD = script(`
local task = held(ARGV[2], ARGV[3])
if not task then return 0 end
count(task, -1)
forget(task)
tell('c' .. task.id)
return 1
`)

/** ARGV: id, attempt, limits of bytes of the owner and of all, status, outcome. Returns the name of a limit that it would pass. */
export const FINISH = script(`
local task = held(ARGV[2], ARGV[3])
if task then
  -- What the task needs no more makes room for its outcome.
  local more = TASK_BYTES + #ARGV[7] - (number(task.b) or TASK_BYTES)
  local limit = #ARGV[7] > FREE_OUTCOME_BYTES and tooManyBytes(task.o, more, ARGV[4], ARGV[5])
  if limit then return limit end
  close(task, ARGV[6], 'e', ARGV[7])
  return 'finished'
end
local known = settle(load(ARGV[2]))
return known and known.P == 'e' and 'already' or 'lost'
`)

/** ARGV: id, grace. */
export const CANCEL = script(`
local task = settle(load(ARGV[2]))
if not task then return 'unknown' end
if task.P == 'e' then return 'ended' end
if task.P ~= 'l' or isLost(task) then
  finishAs(task, 'cancelled')
  return 'cancelled'
end
if not number(task.C) then task.r = task.r + 1 end
task.C = math.min(number(task.C) or FOREVER * 1000, now + ARGV[3])
redis.call('HSET', task.key, 'C', task.C, 'r', task.r)
setDue(task)
tell('c' .. task.id)
return 'cancelling'
`)
