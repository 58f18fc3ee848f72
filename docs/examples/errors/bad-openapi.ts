import { openAPIServer } from 'mcpwire/openapi'

await openAPIServer({ swagger: '2.0', info: { title: 'Pets', version: '1' }, paths: {} })
