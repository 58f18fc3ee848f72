// Resources and prompts of every kind, and a schema with every keyword of its dialect.
import { completable, image, type MCPServer } from 'mcpwire'
import { z } from 'zod'
import { PNG } from './samples.ts'

export function addContents(server: MCPServer): void {
  server.resource(
    'test://static-text',
    { name: 'static-text', description: 'Text that stays as it is.', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  )
  server.resource(
    'test://static-binary',
    { name: 'static-binary', description: 'An image of one pixel.', mimeType: 'image/png' },
    () => PNG,
  )
  server.resource(
    'test://watched-resource',
    { name: 'watched-resource', description: 'Something to subscribe to.', mimeType: 'text/plain' },
    () => 'Watched.',
  )
  server.resource(
    'test://template/{id}/data',
    { name: 'template-data', description: 'Data by id.', mimeType: 'application/json' },
    ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  )
  addPrompts(server)
  addDialect(server)
}

function addPrompts(server: MCPServer): void {
  server.prompt(
    'test_simple_prompt',
    { description: 'One line of text.' },
    () => 'This is a simple prompt for testing.',
  )

  server.prompt(
    'test_prompt_with_arguments',
    {
      description: 'Quotes its arguments.',
      input: z.object({
        arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  )

  server.prompt(
    'test_prompt_with_embedded_resource',
    { description: 'Carries a resource.', input: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => [
      {
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      },
      'Please process the embedded resource above.',
    ],
  )

  server.prompt('test_prompt_with_image', { description: 'Carries an image.' }, () => [
    image(PNG, 'image/png'),
    'Please analyze the image above.',
  ])
}

function addDialect(server: MCPServer): void {
  server.tool(
    'json_schema_2020_12_tool',
    {
      description: 'Takes a contact, described with all of JSON Schema 2020-12.',
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    },
    (contact) => `Received: ${JSON.stringify(contact)}`,
  )
}
