// The server behind `toFetch`, as a Worker serves it.
import { createHandler, toFetch } from 'mcpwire/server'
import { createServer } from './server.ts'

export const fetch = toFetch(createHandler(createServer()))
