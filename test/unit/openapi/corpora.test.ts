// compose X78: real documents. Every operation becomes a tool with valid schemas, or is named with a reason.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openAPIServer } from 'mcpwire/openapi'
import { compileSchema } from 'mcpwire/schema'
import { describe, expect, it } from 'vitest'

const modules = dirname(dirname(dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'))))
const examples = ['3.0', '3.1'].flatMap((version) =>
  readdirSync(`${modules}/@readme/oas-examples/${version}/json`)
    .filter((file) => file.endsWith('.json'))
    .map((file) => `@readme/oas-examples/${version}/json/${file}`),
)
const others = [
  '@figma/rest-api-spec/openapi/openapi.yaml',
  '@scalar/galaxy/dist/latest.json',
  '@scalar/galaxy/dist/3.1.yaml',
]

async function read(file: string) {
  const server = await openAPIServer(`${modules}/${file}`, {
    baseUrl: 'https://x.test',
    strictResponses: true,
    search: false,
  })
  const { tools } = await server.listTools()
  return { server, tools }
}

describe('compose X78: corpora', () => {
  it.each([...examples, ...others])('%s', async (file) => {
    const { server, tools } = await read(file)
    const problems = server.report.operations.filter(({ isProblem }) => isProblem)
    expect(problems).toEqual([])
    expect(tools).toHaveLength(server.report.mapped)
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(inputSchema.type).toBe('object')
      compileSchema(inputSchema)
      if (outputSchema !== undefined) compileSchema(outputSchema)
      for (const property of Object.keys(inputSchema.properties ?? {}))
        expect(property).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
    }
  })

  it('the tools of the examples are those of the last time', async () => {
    const listed: Record<string, unknown> = {}
    for (const file of examples.filter((name) =>
      /parameters-style|petstore\.json|security|circular|file-uploads|train-travel/.test(name),
    )) {
      const { tools } = await read(file)
      listed[file] = tools.map(
        ({ name, inputSchema }) => `${name}(${Object.keys(inputSchema.properties ?? {}).join(', ')})`,
      )
    }
    await expect(`${JSON.stringify(listed, null, 2)}\n`).toMatchFileSnapshot('./__snapshots__/tools.txt')
  })

  it('@netlify/open-api is Swagger 2.0, and is refused with what to do', async () => {
    const refused = openAPIServer(`${modules}/@netlify/open-api/dist/swagger.json`)
    await expect(refused).rejects.toThrow(/Swagger 2\.0.*swagger2openapi/)
  })

  it('what another validator takes for a document is one here', async () => {
    const validator = new Validator()
    for (const file of examples.slice(0, 12)) {
      const document = JSON.parse(readFileSync(`${modules}/${file}`, 'utf8'))
      const { valid } = await validator.validate(document)
      const isRead = await openAPIServer(document, { baseUrl: 'https://x.test' }).then(
        () => true,
        () => false,
      )
      if (valid) expect(isRead).toBe(true)
    }
  })
})
