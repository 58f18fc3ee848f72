// A record is the text `<revision>:<value>`; a revision has 16 characters.
import { Script } from './script.ts'

/**
 * KEYS: the record. ARGV: the new text, its time to live, the revision that must be there (empty: none may be). Returns the revision
 * that is there then, or nothing. The very revision that is there already was put by the same call before.
 */
export const PUT_IF = new Script(`
local now = redis.call('GET', KEYS[1])
if now and string.sub(now, 17, 17) ~= ':' then now = false end
local has = now and string.sub(now, 1, 16) or ''
if has ~= ARGV[3] then
  if now and has == string.sub(ARGV[1], 1, 16) then return has end
  return false
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return string.sub(ARGV[1], 1, 16)
`)

/** KEYS: the record. ARGV: the revision that must be there. */
export const DELETE_IF = new Script(`
local now = redis.call('GET', KEYS[1])
if not now or string.sub(now, 1, 17) ~= ARGV[1] .. ':' then return 0 end
return redis.call('DEL', KEYS[1])
`)
