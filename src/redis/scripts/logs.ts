// A log is a list. An element is `.<writer> <data>`, `!<writer> <data>` where it ends the log, `+<writer> <nth> <data>` where it was
// posted. Beside it, for logs that were posted to, a hash: `b` how many entries are gone, `z` the bytes of the data that is there,
// `w<writer>` the last `nth` of each writer.
import { Script } from './script.ts'

const COMMON = `
local list, about = KEYS[1], KEYS[2]
local function dataAt(element)
  local at = string.find(element, ' ', 1, true)
  if string.sub(element, 1, 1) == '+' then at = string.find(element, ' ', at + 1, true) end
  return at + 1
end
-- Renewed every quarter, so that not every entry writes it.
local function keep(key, ttl)
  if redis.call('PTTL', key) < ttl * 0.75 then redis.call('PEXPIRE', key, ttl) end
end
-- Larger ones have to be read.
local function hint(publish, seq, element)
  local from = dataAt(element)
  local text = #element < 16384 and seq .. ' ' .. string.sub(element, from) or tostring(seq)
  redis.call(publish, list, text)
end
`

/**
 * ARGV: publish or spublish, the number of the first element, their time to live, the elements. Returns for each of them 1 kept,
 * 0 already, -1 conflict, as if they came one by one.
 */
export const APPEND = new Script(`${COMMON}
local publish, first, ttl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local length = redis.call('LLEN', list)
local base = 0
if length ~= first - 1 then base = tonumber(redis.call('HGET', about, 'b') or 0) end
local last = base + length
local isEnded = length > 0 and string.sub(redis.call('LINDEX', list, -1), 1, 1) == '!'
local isKept = false
local outcomes = {}
for index = 4, #ARGV do
  local element, seq = ARGV[index], first + index - 4
  local outcome = -1
  if seq <= last then
    local there = redis.call('LINDEX', list, seq - base - 1)
    local writer = string.sub(element, 2, string.find(element, ' ', 1, true))
    if seq > base and there and string.sub(there, 2, 1 + #writer) == writer then outcome = 0 end
  elseif seq == last + 1 and not isEnded then
    redis.call('RPUSH', list, element)
    if not isKept then
      keep(list, ttl)
      if base > 0 then keep(about, ttl) end
    end
    last = seq
    isEnded = string.sub(element, 1, 1) == '!'
    isKept = true
    outcome = 1
    hint(publish, seq, element)
  end
  outcomes[#outcomes + 1] = outcome
end
return outcomes
`)

/**
 * ARGV: publish or spublish, the writer, its nth, the data, its time to live, the most entries, the most bytes. Returns the number, or
 * -1 where the log has ended.
 */
export const POST = new Script(`${COMMON}
local publish, writer, nth, data, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local most, mostBytes = tonumber(ARGV[6]), tonumber(ARGV[7])
local known = redis.call('HMGET', about, 'b', 'z', 'w' .. writer)
local base, bytes, before = tonumber(known[1] or 0), tonumber(known[2] or 0), tonumber(known[3] or 0)
local length = redis.call('LLEN', list)
if length == 0 then base, bytes, before = 0, 0, 0 end
local mark = '+' .. writer .. ' ' .. ARGV[3] .. ' '
if nth <= before then
  local entries = redis.call('LRANGE', list, 0, -1)
  for index = #entries, 1, -1 do
    if string.sub(entries[index], 1, #mark) == mark then return base + index end
  end
  local gone = redis.call('HGET', about, 'g' .. writer .. ' ' .. ARGV[3])
  if gone then return tonumber(gone) end
end
if length > 0 and string.sub(redis.call('LINDEX', list, -1), 1, 1) == '!' then return -1 end
if not known[2] and length > 0 then
  for _, entry in ipairs(redis.call('LRANGE', list, 0, -1)) do bytes = bytes + #entry - dataAt(entry) + 1 end
end
local element = mark .. data
redis.call('RPUSH', list, element)
length = length + 1
bytes = bytes + #data
local seq = base + length
while length > 1 and (length > most or bytes > mostBytes) do
  local oldest = redis.call('LPOP', list)
  bytes = bytes - (#oldest - dataAt(oldest) + 1)
  base = base + 1
  length = length - 1
  -- The last ones that had to go are known by their names, for a repeat that comes late.
  local name = string.match(oldest, '^%+(%S+ %d+) ')
  if name then
    local ring = 'G' .. base % 64
    local former = redis.call('HGET', about, ring)
    if former then redis.call('HDEL', about, 'g' .. former) end
    redis.call('HSET', about, 'g' .. name, base, ring, name)
  end
end
redis.call('HSET', about, 'b', base, 'z', bytes, 'w' .. writer, math.max(nth, before))
keep(list, ttl)
keep(about, ttl)
hint(publish, seq, element)
return seq
`)

/** ARGV: the number after which, the most bytes, 1 to begin with the oldest that is there. Returns first and last number, end, data. */
export const READ = new Script(`${COMMON}
local after, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local length = redis.call('LLEN', list)
if length == 0 then return false end
local base = tonumber(redis.call('HGET', about, 'b') or 0)
if after > base + length then return false end
if after < base then
  if ARGV[3] ~= '1' then return false end
  after = base
end
local page = { after + 1, base + length, string.sub(redis.call('LINDEX', list, -1), 1, 1) == '!' and 1 or 0 }
local bytes, at = 0, after - base
while at < length do
  local some = redis.call('LRANGE', list, at, at + 63)
  for _, entry in ipairs(some) do
    local data = string.sub(entry, dataAt(entry))
    bytes = bytes + #data
    if bytes > most and #page > 3 then return page end
    page[#page + 1] = data
  end
  at = at + 64
end
return page
`)
