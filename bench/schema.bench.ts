// JSON Schema for tool arguments: the cost of compiling compared with Ajv, and of validating compared with engines without eval.
import { Validator } from '@cfworker/json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import jsonschema from 'jsonschema'
import { compileSchema } from '../src/schema/engine.ts'
import { goal, measure, report } from './measure.ts'

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 },
    isbn: { type: 'string', pattern: '^[0-9]{9}[0-9X]$' },
    language: { enum: ['en', 'de', 'fr', 'es', 'it'] },
    pages: { type: 'integer', minimum: 1, maximum: 10_000 },
    price: { type: 'number', exclusiveMinimum: 0 },
    isAvailable: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 20 },
    publisher: {
      type: 'object',
      properties: { name: { type: 'string' }, city: { type: 'string' }, founded: { type: 'integer' } },
      required: ['name'],
      additionalProperties: false,
    },
    subtitle: { type: ['string', 'null'] },
    sortBy: { type: 'string', enum: ['title', 'price', 'pages'] },
  },
  required: ['title', 'isbn', 'language'],
  additionalProperties: false,
}

const args = {
  title: 'A Pattern Language',
  isbn: '0195019199',
  language: 'en',
  pages: 1171,
  price: 65.5,
  isAvailable: true,
  tags: ['architecture', 'towns', 'buildings', 'construction'],
  publisher: { name: 'Oxford University Press', city: 'New York', founded: 1586 },
  subtitle: null,
  sortBy: 'title',
}

const ours = compileSchema(schema)
const shared = new Ajv2020()
const compiled = new Ajv2020().compile(schema)
const cfworker = new Validator(schema as never, '2020-12')
const interpreter = new jsonschema.Validator()

for (const fits of [ours.check(args), compiled(args), cfworker.validate(args).valid]) {
  if (!fits) throw new Error('an engine refuses the arguments')
}

// Compiling is lazy, so a first validation is part of it.
const compiling = await measure([
  { name: 'mcpwire, compile and validate once', run: () => compileSchema(schema).check(args) },
  { name: 'ajv, compile and validate once', run: () => new Ajv2020().compile(schema)(args) },
  {
    name: 'ajv, the instance made before',
    run: () => {
      shared.compile(schema)(args)
      shared.removeSchema(schema)
    },
  },
])
report('a tool schema of ten properties: compile', compiling)
goal('mcpwire over ajv with an instance made before', compiling[0]!.nanoseconds / compiling[2]!.nanoseconds, 0.1)

const validating = await measure([
  { name: 'mcpwire', run: () => ours.check(args) },
  { name: '@cfworker/json-schema', run: () => cfworker.validate(args).valid },
  { name: 'jsonschema', run: () => interpreter.validate(args, schema as never).valid },
  { name: 'ajv (generates code)', run: () => compiled(args) },
])
report('typical arguments: validate', validating)
goal('mcpwire over @cfworker/json-schema', validating[0]!.nanoseconds / validating[1]!.nanoseconds, 0.1)
goal('mcpwire over jsonschema', validating[0]!.nanoseconds / validating[2]!.nanoseconds, 0.1)
