// mcpwire doctor, as typed, against servers that are wrong in one way each: the step, the cause and the fix are named.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CommandResult, mcpwire } from '../../../test/support/command-line.ts'
import { actingIn } from '../../../test/support/terminal.ts'
import { createExampleProject } from '../example-project.ts'
import {
  INITIALIZED,
  legacyServer,
  listen,
  listenOnTcp,
  listenWithCertificate,
  stdioProgram,
} from './broken-servers.ts'

interface Report {
  ok: boolean
  steps: {
    number: number
    name: string
    state: 'ok' | 'warning' | 'fault' | 'skipped'
    text: string
    details?: string[]
    problem?: { slug: string; cause: string; fix: string[]; help?: string }
  }[]
}

async function doctor(...args: string[]) {
  const result = await mcpwire(['doctor', '--json', ...args])
  const report = JSON.parse(result.stdout) as Report
  return { ...result, report, fault: report.steps.find(({ state }) => state === 'fault') }
}

/** Ten steps in their order; exit code 1; the first fault has a cause, a fix and a page. */
async function expectFault(args: string[], number: number) {
  const { code, stderr, report, fault } = await doctor(...args)
  expect({ code, stderr, ok: report.ok }).toEqual({ code: 1, stderr: '', ok: false })
  expect(report.steps.map((step) => step.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(fault).toMatchObject({ number })
  expect(fault?.problem?.cause).toMatch(/^[A-Z].+\.$/)
  expect(fault?.problem?.fix.length).toBeGreaterThan(0)
  expect(fault?.problem?.help).toMatch(/^mcpwire\/docs\/errors\/[a-z-]+\.md$/)
  return fault as Required<Report['steps'][number]>
}

const node = (code: string) => ['--', process.execPath, '-e', code]

describe('cli C10: doctor names the broken step, its cause and the fix for', () => {
  it('1: a program that does not start', async () => {
    const fault = await expectFault(['--', 'no-such-program-anywhere'], 4)
    expect(fault.text).toBe('no-such-program-anywhere is not on the PATH')
    expect(fault.problem).toMatchObject({ slug: 'command-not-found', fix: ['Install it, or use its absolute path.'] })
  })

  it('2: a program that exits, with its code and what it wrote to stderr', async () => {
    const fault = await expectFault(node("console.error('no config found'); process.exit(7)"), 4)
    expect(fault.text).toMatch(/exited with code 7 before it answered/)
    expect(fault.details).toEqual(['stderr: no config found'])
    expect(fault.problem.slug).toBe('server-exited')
  })

  it('3: a program that prints to stdout before it answers, and goes on with the other steps', async () => {
    const fault = await expectFault(node(stdioProgram("console.log('Server is starting')")), 5)
    expect(fault.text).toContain('Server is starting')
    expect(fault.problem).toMatchObject({
      slug: 'stdout-polluted',
      fix: [expect.stringContaining('stderr'), expect.any(String)],
    })
    const { report } = await doctor(...node(stdioProgram("console.log('Server is starting')")))
    expect(report.steps.at(-1)).toMatchObject({ state: 'ok', text: expect.stringContaining('5 times ping') })
  })

  it('4: a program that prints nothing else', async () => {
    const fault = await expectFault(
      node("for (let i = 0; i < 5; i += 1) console.log('Hello'); setInterval(() => {}, 1000)"),
      5,
    )
    expect(fault.text).toContain('Hello')
  })

  it('4: a program that prints a line and hangs: both are told, and the line is the first', async () => {
    const hangs = node("console.log('Listening on port 3000'); setInterval(() => {}, 1000)")
    const fault = await expectFault(['--connect-timeout', '1', ...hangs], 5)
    expect(fault.text).toContain('Listening on port 3000')
    expect(fault.problem.slug).toBe('stdout-polluted')
    const { report } = await doctor('--connect-timeout', '1', ...hangs)
    expect(report.steps[5]).toMatchObject({ text: expect.stringContaining('did not answer within 1 s') })
  })

  it('5: a program that hangs', async () => {
    const fault = await expectFault(['--connect-timeout', '0.5', ...node('setInterval(() => {}, 1000)')], 6)
    expect(fault.text).toMatch(/runs, and did not answer within 0\.5 s/)
    expect(fault.problem).toMatchObject({
      slug: 'server-silent',
      fix: [expect.stringContaining('by hand'), expect.any(String)],
    })
  })

  it('6: a web page instead of an endpoint, with the URL of the endpoint on the same host', async () => {
    const serve = legacyServer({ initialize: INITIALIZED })
    const url = await listen((request, response) => {
      if (request.url === '/mcp') return serve(request, response)
      return response.setHeader('content-type', 'text/html; charset=utf-8').end('<html>Welcome</html>')
    })
    const fault = await expectFault([`${url}/welcome`], 6)
    expect(fault.text).toBe('HTTP 200 (text/html): a web page answers, not an MCP endpoint')
    expect(fault.problem).toMatchObject({ slug: 'not-an-mcp-server', fix: [`Use this URL: ${url}/mcp`] })
    expect((await doctor(url)).report.steps[5]).toMatchObject({ state: 'ok' })
  })

  it('7: a wrong path', async () => {
    const url = await listen((_request, response) => response.writeHead(404).end())
    const fault = await expectFault([`${url}/wrong`], 6)
    expect(fault.text).toContain('HTTP 404')
    expect(fault.details).toEqual([`POST ${url}/wrong: HTTP 404 (no content type)`])
    expect(fault.problem.fix).toEqual(['Check the path of the URL. It is often /mcp.'])
  })

  it('7: a wrong path of a server that says so by JSON-RPC, and the right one is found', async () => {
    const serve = legacyServer({ initialize: INITIALIZED })
    const url = await listen((request, response) => {
      if (request.url === '/mcp') return serve(request, response)
      const error = { code: -32_600, message: 'Not found. The MCP endpoint is at /mcp' }
      return response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', error }))
    })
    const fault = await expectFault([`${url}/wrong`], 6)
    expect(fault.problem.fix).toEqual([`Use this URL: ${url}/mcp`])
    expect((await doctor(url)).report.steps[5]).toMatchObject({ state: 'ok' })
  })

  it('8: 401 without any metadata', async () => {
    const url = await listen((request, response) => response.writeHead(request.url === '/mcp' ? 401 : 404).end())
    const fault = await expectFault([`${url}/mcp`], 8)
    expect(fault.text).toContain('nothing says where to get a token')
    expect(fault.details).toContain(`GET ${url}/.well-known/oauth-protected-resource/mcp: HTTP 404`)
    expect(fault.problem.fix[0]).toContain('/.well-known/oauth-protected-resource')
  })

  it('9: metadata of another resource', async () => {
    const url = await listen((request, response) => {
      if (!request.url?.startsWith('/.well-known/oauth-protected-resource')) return response.writeHead(401).end()
      const body = { resource: 'https://other.example/mcp', authorization_servers: ['https://login.example'] }
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    })
    const fault = await expectFault([`${url}/mcp`], 8)
    expect(fault.text).toContain('https://other.example/mcp')
    expect(fault.problem.fix).toEqual([`Set the resource of the metadata to ${url}/mcp, or use the URL that it names.`])
  })

  it('9b: an authorization server that does not answer, or is not there', async () => {
    const silent = await listen(() => {})
    let issuer = silent
    const url = await listen((request, response) => {
      if (!request.url?.startsWith('/.well-known/oauth-protected-resource')) return response.writeHead(401).end()
      const body = { resource: `${url}/mcp`, authorization_servers: [issuer] }
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    })
    const slow = await expectFault([`${url}/mcp`, '--connect-timeout', '1'], 8)
    expect(slow.text).toContain(`${silent}/.well-known/oauth-authorization-server got no response within 1000 ms`)
    expect(slow.details).toContain(`GET ${silent}/.well-known/oauth-authorization-server: no answer`)
    issuer = 'http://127.0.0.1:1'
    const gone = await expectFault([`${url}/mcp`], 8)
    expect(gone.text).toContain('http://127.0.0.1:1/.well-known/oauth-authorization-server')
    expect(gone.problem.cause).toBe('A document could not be fetched.')
  })

  it('10: an expired certificate, and one of another host', async () => {
    const expired = await expectFault([`${await listenWithCertificate('2020-01-01', '2020-02-01')}/mcp`], 3)
    expect(expired.text).toBe('The certificate of localhost expired on 2020-02-01')
    expect(expired.problem).toMatchObject({ slug: 'tls', fix: ['Renew the certificate of the server.'] })
    const foreign = await listenWithCertificate('2020-01-01', '2099-01-01', 'other.example')
    expect((await expectFault([`${foreign}/mcp`], 3)).text).toBe(
      'The certificate is for DNS:other.example, not for localhost',
    )
    const own = await expectFault([`${await listenWithCertificate('2020-01-01', '2099-01-01')}/mcp`], 3)
    expect(own.problem.fix[0]).toContain('NODE_EXTRA_CA_CERTS')
  })

  it('11: a host name that does not exist', async () => {
    const fault = await expectFault(['https://no-such-host.invalid/mcp'], 2)
    expect(fault.text).toContain('no-such-host.invalid')
    expect(fault.problem).toMatchObject({
      slug: 'host-not-found',
      fix: [expect.stringContaining('Check the host name')],
    })
  })

  it('12: a port where nothing listens, and one that speaks no TLS', async () => {
    const fault = await expectFault(['http://127.0.0.1:1/mcp'], 3)
    expect(fault.text).toBe('Nothing listens on 127.0.0.1:1')
    expect(fault.problem.slug).toBe('connection-refused')
    const url = await listen((_request, response) => response.end())
    const plain = await expectFault([`${url.replace('http:', 'https:')}/mcp`], 3)
    expect(plain.problem.fix).toEqual(['Use http:// if the server has no TLS on this port.'])
  })

  it('13: a revision that nobody speaks', async () => {
    const handler = legacyServer({ initialize: { ...INITIALIZED, protocolVersion: '2099-01-01' } })
    const fault = await expectFault([`${await listen(handler)}/mcp`], 7)
    expect(fault.text).toContain('2099-01-01')
    expect(fault.problem.slug).toBe('version-unsupported')
  })

  it('14: an invalid schema, with the tool that has it', async () => {
    const tool = {
      name: 'add',
      description: 'Add',
      inputSchema: { type: 'object', properties: { a: { type: 'nummer' } } },
    }
    const handler = legacyServer({ initialize: INITIALIZED, ping: {}, 'tools/list': { tools: [tool] } })
    const fault = await expectFault([`${await listen(handler)}/mcp`], 9)
    expect(fault.text).toMatch(/inputSchema of "add"/)
    expect(fault.problem).toMatchObject({ slug: 'bad-json-schema', fix: ['Correct the schema in the server.'] })
  })

  it('15: a server that is too slow', async () => {
    const url = await listen(() => {})
    const fault = await expectFault(['--connect-timeout', '0.5', `${url}/mcp`], 6)
    expect(fault.text).toBe(`${url}/mcp did not answer within 0.5 s`)
    expect(fault.problem.slug).toBe('server-silent')
  })

  it('16: a listing that fails, and one that never ends', async () => {
    const broken = { error: { code: -32603, message: 'the database is away' } }
    const failing = legacyServer({ initialize: INITIALIZED, ping: {}, 'tools/list': broken })
    const fault = await expectFault([`${await listen(failing)}/mcp`], 9)
    expect(fault.text).toContain('tools/list failed: the database is away')
    const silent = legacyServer({ initialize: INITIALIZED, ping: {}, 'tools/list': undefined })
    const slow = await expectFault([`${await listen(silent)}/mcp`, '--timeout', '0.5'], 9)
    expect(slow.text).toMatch(/tools\/list/)
    const endless = legacyServer({
      initialize: INITIALIZED,
      ping: {},
      'tools/list': { tools: [], nextCursor: 'again' },
    })
    expect((await expectFault([`${await listen(endless)}/mcp`], 9)).text).toContain('cursor')
  })

  it('17: a redirect, a server that fails, and one that cuts the connection', async () => {
    const moved = await listen((_request, response) =>
      response.writeHead(301, { location: 'https://new.example/mcp' }).end(),
    )
    expect((await expectFault([`${moved}/mcp`], 6)).problem.fix).toEqual(['Use the final URL: https://new.example/mcp'])
    const failing = await listen((_request, response) => response.writeHead(502).end())
    expect((await expectFault([`${failing}/mcp`], 6)).text).toContain('HTTP 502')
    const cutting = await listen((request) => request.socket.destroy())
    expect((await expectFault([`${cutting}/mcp`], 6)).problem.slug).toBe('connection-lost')
  })

  it('17b: a port that cuts each connection at once, and one that speaks another protocol', async () => {
    const cutting = await listenOnTcp((socket) => socket.destroy())
    expect((await expectFault([`${cutting}/mcp`], 6)).problem.slug).toBe('connection-lost')
    const other = await listenOnTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    const fault = await expectFault([`${other}/mcp`], 6)
    expect(fault.text).toContain('not HTTP')
    expect(fault.problem).toMatchObject({
      slug: 'not-an-mcp-server',
      fix: ['Check the scheme and the port of the URL.'],
    })
  })

  it('18: a file with a syntax error', async () => {
    const project = createExampleProject()
    onTestFinished(() => project[Symbol.dispose]())
    writeFileSync(join(project.folder, 'broken.js'), 'const a = 1\nconst = 2\n')
    const { code, stdout } = await project.run('doctor', '--json', 'broken.js')
    const { steps } = JSON.parse(stdout) as Report
    expect(code).toBe(1)
    expect(steps[3]).toMatchObject({ state: 'fault', text: expect.stringContaining('broken.js:2: SyntaxError') })
    expect(steps[3]?.problem?.fix).toEqual(['Correct the file.'])
  })
})

describe('mcpwire doctor with a target', () => {
  const lines = ({ stdout }: CommandResult) => stdout.trimEnd().split('\n')

  it('prints one line per step, then cause, fix and page of the first fault, in colors only where asked', async () => {
    const result = await mcpwire(['doctor', 'http://127.0.0.1:1/mcp'])
    expect(lines(result)).toEqual([
      '✓  1 Target         URL http://127.0.0.1:1/mcp',
      '✓  2 DNS            127.0.0.1 is an address',
      '✗  3 TCP and TLS    Nothing listens on 127.0.0.1:1',
      ...['4 Program', '5 stdout', '6 Endpoint', '7 Revision', '8 Authorization', '9 Listings'].map(
        (title) => `-  ${title.padEnd(16)} Not checked`,
      ),
      '- 10 Round trip     Not checked',
      '',
      '3 TCP and TLS: Nothing listens on 127.0.0.1:1',
      'Cause: The host is there, but no program listens on the port.',
      'Fix:   Start the server, or check the port in the URL.',
      'More:  mcpwire/docs/errors/connection-refused.md',
    ])
    const colored = await mcpwire(['doctor', 'http://127.0.0.1:1/mcp'], { env: { FORCE_COLOR: '1' } })
    expect(colored.stdout).toContain('\u001b[31m✗\u001b[39m')
  })

  it('a target that is none fails at step 1, and a wrong option is exit code 2', async () => {
    const { code, report } = await doctor('missing.ts')
    expect(code).toBe(1)
    expect(report.steps).toHaveLength(1)
    expect(report.steps[0]).toMatchObject({ number: 1, state: 'fault', problem: { slug: 'file-not-found' } })
    expect((await mcpwire(['doctor', 'http://127.0.0.1:1/mcp', '--mode', 'none'])).code).toBe(2)
    expect((await mcpwire(['doctor', 'a', 'b'])).code).toBe(2)
  })

  it('says which names hosts refuse and what the tools weigh, as an estimate', async () => {
    const tools = ['fine', 'with space', 'a'.repeat(70)].map((name) => ({
      name,
      description: 'x',
      inputSchema: { type: 'object' },
    }))
    const url = await listen(legacyServer({ initialize: INITIALIZED, ping: {}, 'tools/list': { tools } }))
    const { code, report } = await doctor(`${url}/mcp`)
    expect(code).toBe(0)
    expect(report.steps[8]).toMatchObject({ state: 'warning', text: '3 tools' })
    const details = report.steps[8]?.details?.join('\n')
    expect(details).toMatch(/"with space" is refused by hosts/)
    expect(details).toMatch(/about \d+ tokens .*estimate/)
  })

  it('text of a hostile server stays text', async () => {
    const name = 'evil\u001b[2J\u202e'
    const tools = [{ name, description: 'x', inputSchema: { type: 'object' } }]
    const answers = {
      initialize: { ...INITIALIZED, serverInfo: { name, version: '1' } },
      ping: {},
      'tools/list': { tools },
    }
    const { stdout } = await mcpwire(['doctor', `${await listen(legacyServer(answers))}/mcp`])
    expect(stdout).toContain('evil\\x1b[2J')
    expect(actingIn(stdout)).toEqual([])
  })
})
