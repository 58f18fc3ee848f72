// A program that starts a Redis, says where, and does nothing more: for the test that kills it.
import { startRedis } from './redis.ts'

const { process: engine } = await startRedis()
process.stdout.write(JSON.stringify({ pid: engine.pid, folder: engine.folder }))
setInterval(() => {}, 60_000)
