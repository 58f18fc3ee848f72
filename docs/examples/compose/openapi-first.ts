import { openAPIServer } from 'mcpwire/openapi'

const server = await openAPIServer('./petstore.yaml', {
  auth: { bearerAuth: () => process.env['TOKEN'] },
})
await server.run()
