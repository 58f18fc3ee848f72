// A bucket is the time at which it is full again, in microseconds of the clock of Redis. Places are a sorted set of holders by their end.
import { Script } from './script.ts'

/** KEYS: the bucket. ARGV: microseconds per token, burst, tokens. Returns the milliseconds to wait. */
export const TAKE = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local each, burst, tokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full = tonumber(redis.call('GET', KEYS[1]) or now)
-- No bucket is full later than this: the clock was set back, or the limit has changed.
full = math.min(math.max(full, now), now + burst * each)
local after = full + tokens * each
local missing = after - now - burst * each
if missing > 0.5 then return math.ceil(missing / 1000) end
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return 0
`)

/** KEYS: the places. ARGV: the holder, how many there are, the time to live. */
export const HOLD = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ttl = tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ttl, ARGV[1])
if redis.call('PTTL', KEYS[1]) < ttl then redis.call('PEXPIRE', KEYS[1], math.ceil(ttl)) end
return 1
`)
