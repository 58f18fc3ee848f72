// C2 on every Node that the package supports: TypeScript files, by each command that loads a file.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { expect, it } from 'vitest'
import { describeInFull, isFull } from '../../../test/engines/full.ts'
import { describeOn, type Runtime } from '../../../test/runtimes/installed.ts'
import { MAIN, MAX_MS } from '../../../test/support/command-line.ts'
import { createProject, PROJECTS } from './projects.ts'

const NODES: Runtime[] = ['node20', 'node2215', 'node22', 'node24', 'node26']
const projects = Object.entries(PROJECTS)

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

async function runNode(
  node: string,
  args: string[],
  cwd = tmpdir(),
  env: Record<string, string> = {},
): Promise<Outcome> {
  const child = spawn(node, [MAIN, ...args], { cwd, env: { PATH: process.env['PATH'], ...env }, timeout: MAX_MS })
  const outcome: Outcome = { code: null, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outcome[name] += text
    })
  }
  child.stdin.end()
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...outcome, code }
}

async function price(client: Client): Promise<unknown> {
  return (await client.callTool('price')).structuredContent
}

describeInFull('C2 TypeScript on every Node', () => {
  it('has Nodes to run on', () => expect(NODES.length).toBeGreaterThan(3))
  for (const runtime of isFull ? NODES : []) {
    describeOn(runtime, (node) => {
      it.each(projects)('run: a project with %s', async (_what, files) => {
        await using project = await createProject(files)
        const lines: string[] = []
        const stderr = (line: string) => void lines.push(line)
        await using client = await Client.connect(
          stdio({ command: node, args: [MAIN, 'run', project.file], cwd: tmpdir(), stderr }),
        )
        expect(await price(client)).toEqual({ result: 12 })
        expect(lines).toEqual([])
      })

      it.each(projects)('dev: a project with %s', async (_what, files) => {
        await using project = await createProject(files)
        await using client = await Client.connect(
          stdio({ command: node, args: [MAIN, 'dev', project.file, '--stdio'], cwd: tmpdir(), stderr: 'ignore' }),
        )
        expect(await price(client)).toEqual({ result: 12 })
      })

      it.each(projects)('run over HTTP: a project with %s', async (_what, files) => {
        await using project = await createProject(files)
        const child = spawn(node, [MAIN, 'run', project.file, '-t', 'http', '--port', '0'], { timeout: MAX_MS })
        const [line] = (await once(createInterface(child.stderr), 'line')) as [string]
        await using client = await Client.connect(line.replace('Listening on ', ''))
        expect(await price(client)).toEqual({ result: 12 })
        await client.close()
        child.kill('SIGTERM')
        await once(child, 'exit')
      })

      it.each(projects)('call: a project with %s', async (_what, files) => {
        await using project = await createProject(files)
        const outcome = await runNode(node, ['call', project.file, 'price'], project.folder)
        expect(outcome).toEqual({ code: 0, stdout: '12\n', stderr: '' })
      })

      it.each(projects)('install and start: a project with %s', async (_what, files) => {
        await using project = await createProject(files)
        const config = join(project.folder, 'mcp.json')
        const home = join(project.folder, 'home')
        await mkdir(home)
        const args = ['install', project.file, '--name', 'shop', '--config', config]
        expect(await runNode(node, args, project.folder, { HOME: home })).toMatchObject({ code: 0 })
        const { mcpServers } = JSON.parse(await readFile(config, 'utf8'))
        await using client = await Client.connect(stdio({ ...mcpServers.shop, cwd: '/' }))
        expect(await price(client)).toEqual({ result: 12 })
      })
    })
  }
})
