// mcpwire/stdio-guard: `node --import mcpwire/stdio-guard server.js` keeps stdout clean from the first line on.
import { guardStdout } from '../node/stdio/stdout-guard.ts'

guardStdout()
