// A server with something for every screen of the inspector.
import { image, MCPServer, ToolError } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { tasks } from 'mcpwire/extensions/tasks'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'

const ORDER = {
  type: 'object',
  properties: {
    item: { type: 'string', enum: ['book', 'pen', 'lamp'], description: 'What to order.' },
    count: { type: 'integer', minimum: 1, maximum: 99, default: 1 },
    gift: { type: 'boolean', description: 'Wrap it as a gift.' },
    note: { type: 'string', maxLength: 400 },
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' }, zip: { type: 'string' } },
      required: ['street', 'city'],
    },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['item', 'address'],
} as const

export interface Shop {
  readonly server: MCPServer
  /** Lets `wait` go on. */
  release(): void
}

export function createShop(): Shop {
  const server = new MCPServer('shop', {
    version: '1.2.0',
    title: 'The shop',
    instructions: 'Order things. Ask before you order more than ten.',
    extensions: [tasks(), apps()],
    exposeErrors: true,
  })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  server.tool(
    'order',
    { description: 'Order an item from the catalogue.', input: ORDER, annotations: { destructiveHint: true } },
    async (args, ctx) => {
      const { item, count = 1 } = args as { item: string; count?: number }
      await ctx.reportProgress(1, 3, 'checking the stock')
      const answer = await ctx.elicit(`Really order ${count} × ${item}?`, {
        type: 'object',
        properties: { sure: { type: 'boolean', title: 'I am sure' }, comment: { type: 'string' } },
        required: ['sure'],
      })
      if (answer.action !== 'accept' || answer.content['sure'] !== true) throw new ToolError('Not ordered.')
      await ctx.reportProgress(3, 3, 'ordered')
      await ctx.log.info(`ordered ${item}`)
      return { ordered: item, count }
    },
  )
  server.tool(
    'add',
    {
      description: 'Add two numbers.',
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      annotations: { readOnlyHint: true },
    },
    (args) => {
      const { a, b } = args as { a: number; b: number }
      return a + b
    },
  )
  server.tool('picture', { description: 'A small picture.' }, () => image(Buffer.from(PIXEL, 'base64'), 'image/png'))
  server.tool('fail', { description: 'Always fails.' }, () => {
    throw new ToolError('There is no more paper in the printer.')
  })
  server.tool('wait', { description: 'Waits until it is released.' }, async (_args, ctx) => {
    await ctx.reportProgress(1, 2, 'half way')
    await Promise.race([released, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))])
    return 'released'
  })
  server.tool('grow', { description: 'Adds a tool to the list.' }, () => {
    server.tool(`grown_${Date.now()}`, () => 'new')
    return 'grown'
  })
  server.tool('write', { description: 'Asks a model.' }, async (_args, ctx) => {
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Write a poem about lamps.' } }],
      systemPrompt: 'You are a poet.',
      maxTokens: 50,
    })
    return [content].flat()[0] as { type: 'text'; text: string }
  })
  server.tool('folders', { description: 'Asks for folders.' }, async (_args, ctx) => {
    const { roots } = await ctx.listRoots()
    return roots.map(({ uri }) => uri).join(', ')
  })
  server.tool('visit', { description: 'Asks to visit a page.' }, async (_args, ctx) => {
    const { action } = await ctx.elicitUrl('Please pay for the lamp.', 'https://pay.example.com/lamp')
    return `You said ${action}.`
  })
  const chart = server.app('ui://shop/chart', {
    html: '<!doctype html><html lang="en"><head><title>Chart</title></head><body><h1>Sales</h1></body></html>',
  })
  server.tool('chart', { description: 'Shows a chart.', ui: chart }, () => 'a chart')
  server.tool('report', { description: 'A long job.', task: 'always' }, async (_args, ctx) => {
    await ctx.reportProgress(1, 1, 'written')
    return 'The report is ready.'
  })
  server.resource('notes://today', { name: 'Today', mimeType: 'text/plain' }, () => 'Buy milk.')
  server.resource('stock://{item}', { name: 'Stock' }, ({ item }) => ({ item, left: 3 }))
  server.resource('bytes://raw', { name: 'Raw' }, () => new Uint8Array([0, 1, 2, 250, 77, 67, 80]))
  server.prompt(
    'review',
    {
      description: 'Reviews an order.',
      input: { type: 'object', properties: { item: { type: 'string', description: 'Which one' } }, required: ['item'] },
    },
    (args) => `Please review the order of ${(args as { item: string }).item}.`,
  )
  return { server, release: () => release() }
}
