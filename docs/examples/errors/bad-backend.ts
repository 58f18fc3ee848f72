import { redis } from 'mcpwire/redis'

redis('http://localhost:6379')
