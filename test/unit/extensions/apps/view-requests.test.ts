// What a view asks of its host and of its server: what gets through, and what a hostile view gets.
import { describe, expect, it } from 'vitest'
import { cleanFileName } from '../../../../src/extensions/apps/host/file-name.ts'
import type { ViewFile } from '../../../../src/extensions/apps/host/host-options.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { createHost, createViewServer, settle, toolOf } from './support.ts'

describe('the server of the view', () => {
  const tools = [
    toolOf('refresh', { visibility: ['app'] }),
    toolOf('get', { resourceUri: 'ui://a/b' }),
    toolOf('delete_all', { visibility: ['model'] }),
  ]

  it('apps A-13 calls of tools that are for apps reach the server, with result and _meta as they are (A-09)', async () => {
    const client = createViewServer(tools)
    const { host, view } = createHost({ client })
    await view.initialize()
    expect(await view.request('tools/call', { name: 'refresh', arguments: { city: 'Paris' } })).toEqual({
      content: [{ type: 'text', text: 'refresh done' }],
      _meta: { 'example.com/x': 1 },
    })
    await view.request('tools/call', { name: 'get' })
    expect(client.calls).toEqual([
      ['refresh', { city: 'Paris' }],
      ['get', {}],
    ])
    expect((await view.request('tools/list'))['tools']).toEqual(tools.slice(0, 2))
    expect(client.listed).toBe(1)
    await host.close()
  })

  it('apps A-13 calls of other tools, and of tools of other servers, are refused alike', async () => {
    const client = createViewServer(tools)
    const { host, view } = createHost({ client })
    await view.initialize()
    for (const name of ['delete_all', 'tool_of_another_server', '__proto__']) {
      await expect(view.request('tools/call', { name })).rejects.toMatchObject({
        code: -32602,
        message: `The tool "${name}" is not available to this view`,
      })
    }
    for (const params of [{}, { name: 7 }, { name: 'refresh', arguments: [] }]) {
      await expect(view.request('tools/call', params)).rejects.toMatchObject({ code: -32602 })
    }
    expect(client.calls).toEqual([])
    await host.close()
  })

  it('apps A-13 hears of a tool that is no longer for apps', async () => {
    const changing = [toolOf('refresh', { visibility: ['app'] })]
    const client = createViewServer(changing)
    const { host, view } = createHost({ client })
    await view.initialize()
    await view.request('tools/call', { name: 'refresh' })
    changing[0] = toolOf('refresh', { visibility: ['model'] })
    host.sendToolsChanged()
    await settle(view)
    expect(view.heard).toEqual([['notifications/tools/list_changed', {}]])
    await expect(view.request('tools/call', { name: 'refresh' })).rejects.toMatchObject({ code: -32602 })
    await host.close()
  })

  it('apps A-24 the host hears of each call before it is made, and can refuse it', async () => {
    const client = createViewServer(tools)
    const seen: unknown[] = []
    const { host, view } = createHost({
      client,
      onToolCall: (call) => {
        seen.push([call.tool.name, call.arguments])
        return call.tool.name !== 'get'
      },
    })
    await view.initialize()
    await view.request('tools/call', { name: 'refresh', arguments: { a: 1 } })
    await expect(view.request('tools/call', { name: 'get' })).rejects.toThrow('The host refused the call of "get"')
    expect(seen).toEqual([
      ['refresh', { a: 1 }],
      ['get', {}],
    ])
    expect(client.calls).toHaveLength(1)
    await host.close()
  })

  it('passes on progress, cancellation and errors of the server', async () => {
    const client = createViewServer(tools)
    let signal: AbortSignal | undefined
    client.callTool = async (name, _args, options) => {
      options?.onProgress?.({ progress: 1, total: 2 })
      signal = options?.signal
      if (name === 'get') throw new MCPError(-32042, 'from the server', { a: 1 })
      return new Promise(() => {})
    }
    const { host, view } = createHost({ client })
    await view.initialize()
    await expect(view.request('tools/call', { name: 'get' })).rejects.toMatchObject({ code: -32042, data: { a: 1 } })
    const call = view.request('tools/call', { name: 'refresh' })
    call.catch(() => {})
    await expect.poll(() => signal?.aborted).toBe(false)
    await host.close()
    expect(signal?.aborted).toBe(true)
  })

  it('reads resources of the server, and lists the tools again after a failure', async () => {
    const client = createViewServer(tools)
    const { tools: list } = client
    client.tools = async function* () {
      client.tools = list
      yield* []
      throw new Error('the server is away')
    }
    const { host, view } = createHost({ client })
    await view.initialize()
    expect(await view.request('resources/read', { uri: 'notes://a' })).toEqual({
      contents: [{ uri: 'notes://a', text: 'text' }],
    })
    await expect(view.request('resources/read', {})).rejects.toMatchObject({ code: -32602 })
    await expect(view.request('tools/list')).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
    expect((await view.request('tools/list'))['tools']).toHaveLength(2)
    await host.close()
  })

  it('apps A-23 nothing else is passed on to the server, and nothing at all without one', async () => {
    const client = createViewServer(tools)
    const { host, view } = createHost({ client })
    await view.initialize()
    for (const method of [
      'ui/anything',
      'ui/open-link',
      'prompts/get',
      'completion/complete',
      'sampling/createMessage',
      'initialize',
    ]) {
      await expect(view.request(method), method).rejects.toMatchObject({ code: -32601 })
    }
    expect(client.calls).toEqual([])
    expect(client.listed).toBe(0)
    const alone = createHost()
    await alone.view.initialize()
    await expect(alone.view.request('tools/call', { name: 'get' })).rejects.toMatchObject({ code: -32601 })
    await host.close()
    await alone.host.close()
  })
})

describe('the host', () => {
  it('apps A-24 asks its handler for links, and opens none but web and mail links', async () => {
    const links: string[] = []
    const { host, view } = createHost({
      onOpenLink: (url) => {
        links.push(url)
        return !url.includes('refused')
      },
    })
    await view.initialize()
    expect(await view.request('ui/open-link', { url: 'https://example.com/a b' })).toEqual({})
    expect(await view.request('ui/open-link', { url: 'https://refused.example.com' })).toEqual({ isError: true })
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      'vbscript:x',
      '/relative',
      '',
      7,
      `https://a/${'x'.repeat(9_000)}`,
    ]) {
      await expect(view.request('ui/open-link', { url })).rejects.toMatchObject({ code: -32602 })
    }
    expect(links).toEqual(['https://example.com/a%20b', 'https://refused.example.com/'])
    await host.close()
  })

  it('AQ-4 takes messages with one block and with a list, of the user alone', async () => {
    const messages: unknown[] = []
    const { host, view } = createHost({ onMessage: (message) => void messages.push(message) })
    await view.initialize()
    const block = { type: 'text', text: 'hello' }
    expect(await view.request('ui/message', { role: 'user', content: block })).toEqual({})
    expect(await view.request('ui/message', { role: 'user', content: [block] })).toEqual({})
    for (const params of [
      { role: 'assistant', content: [block] },
      { role: 'user', content: [{ type: 'text' }] },
      { role: 'user' },
      { role: 'user', content: 'text' },
    ]) {
      await expect(view.request('ui/message', params)).rejects.toMatchObject({ code: -32602 })
    }
    expect(messages).toEqual(Array(2).fill({ role: 'user', content: [block] }))
    await host.close()
  })

  it('takes context for the model', async () => {
    const contexts: unknown[] = []
    const { host, view } = createHost({
      onModelContext: (context) => {
        contexts.push(context)
        return contexts.length < 3
      },
    })
    await view.initialize()
    const content = [{ type: 'text', text: 'selected: Paris' }]
    expect(await view.request('ui/update-model-context', { content, structuredContent: { city: 'Paris' } })).toEqual({})
    expect(await view.request('ui/update-model-context', {})).toEqual({})
    await expect(view.request('ui/update-model-context', { content })).rejects.toThrow('refused')
    await expect(view.request('ui/update-model-context', { structuredContent: [] })).rejects.toMatchObject({
      code: -32602,
    })
    expect(contexts).toEqual([{ content, structuredContent: { city: 'Paris' } }, {}, { content }])
    await host.close()
  })

  it('apps A-24 gives downloads a name that is safe to save under', async () => {
    const saved: ViewFile[] = []
    const { host, view } = createHost({ onDownload: (files) => void saved.push(...files) })
    await view.initialize()
    const contents = [
      { type: 'resource', resource: { uri: 'file:///reports/..%2F..%2Fsecret.csv', text: 'a,b' } },
      { type: 'resource_link', name: '../../.bashrc', uri: 'notes://a' },
    ]
    expect(await view.request('ui/download-file', { contents })).toEqual({})
    expect(saved.map(({ fileName }) => fileName)).toEqual(['secret.csv', 'bashrc'])
    await expect(view.request('ui/download-file', { contents: [{ type: 'text', text: 'x' }] })).rejects.toMatchObject({
      code: -32602,
    })
    await host.close()
  })

  it.each([
    ['report.pdf', 'report.pdf'],
    ['a/b\\c.txt', 'c.txt'],
    ['..', 'download'],
    ['', 'download'],
    ['C:\\con.txt', '_con.txt'],
    ['NUL', '_NUL'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['a\u0000b\n.txt', 'ab.txt'],
    ['<script>?.html', 'script.html'],
    ['%E0%A4%A', '%E0%A4%A'],
    ['x.txt. . .', 'x.txt'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(116)}.pdf`],
  ])('apps A-24 the file name %j becomes %j', (given, clean) => {
    expect(cleanFileName(given)).toBe(clean)
  })

  it('hears log messages and the wish to be closed', async () => {
    const heard: unknown[] = []
    const { host, view } = createHost({
      onLog: (params) => heard.push(params),
      onCloseRequest: () => heard.push('close'),
    })
    await view.initialize()
    await view.notify('notifications/message', { level: 'info', data: 'hello' })
    await view.notify('notifications/message', { data: 'no level' })
    await view.notify('ui/notifications/request-teardown')
    await settle(view)
    expect(heard).toEqual([{ level: 'info', data: 'hello' }, 'close'])
    await host.close()
  })
})
