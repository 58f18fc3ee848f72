// The backend of a server opens when the server starts and closes when it stops.
import { describe, expect, test } from 'vitest'
import type { Backend, BackendUse } from '../../../src/backend/backend.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { Server } from '../../../src/server/server.ts'
import { faultyBackend } from '../../cluster/faulty-backend.ts'

function recordingBackend(log: string[], uses: (BackendUse | undefined)[] = []): Backend {
  return {
    ...faultyBackend(),
    open: async (use) => {
      log.push('open')
      uses.push(use)
    },
    close: async () => void log.push('close'),
  }
}

describe('the backend of a server', () => {
  test('opens before the lifespan and closes after it', async () => {
    const log: string[] = []
    const lifespan = () => {
      log.push('lifespan')
      return { close: () => void log.push('end of lifespan') }
    }
    const server = new Server('calculator', { backend: recordingBackend(log), lifespan })
    const lease = await server.start()
    await lease.release()
    expect(log).toEqual(['open', 'lifespan', 'end of lifespan', 'close'])
  })

  test('gets the name of the server as namespace, and a way to warn', async () => {
    const uses: (BackendUse | undefined)[] = []
    const faults: string[] = []
    const server = new MCPServer('calculator', {
      backend: recordingBackend([], uses),
      onFault: ({ message }) => void faults.push(message),
    })
    const lease = await server.start()
    uses[0]?.report?.('The engine evicts keys.')
    await lease.release()
    expect(uses[0]?.namespace).toBe('calculator')
    expect(faults).toEqual(['The engine evicts keys.'])
  })

  test('stays open until the last server that shares it has stopped', async () => {
    const log: string[] = []
    const backend = recordingBackend(log)
    const first = await new Server('first', { backend }).start()
    const second = await new Server('second', { backend }).start()
    await first.release()
    expect(log).not.toContain('close')
    await second.release()
    expect(log.at(-1)).toBe('close')
  })

  test('that fails to open fails the start, and the next start tries again', async () => {
    const log: string[] = []
    let isDown = true
    const backend: Backend = {
      ...recordingBackend(log),
      open: async () => {
        if (isDown) throw new Error('The engine is down.')
      },
    }
    const server = new Server('calculator', { backend })
    await expect(server.start()).rejects.toThrow('The engine is down.')
    isDown = false
    const lease = await server.start()
    await lease.release()
    expect(log).toEqual(['close', 'close'])
  })

  test('closes when the lifespan fails to start', async () => {
    const log: string[] = []
    const lifespan = () => Promise.reject(new Error('no database'))
    const server = new Server('calculator', { backend: recordingBackend(log), lifespan })
    await expect(server.start()).rejects.toThrow('no database')
    expect(log).toEqual(['open', 'close'])
  })

  test('makes the server a node among others while it runs; without one it is none', async () => {
    const backend = faultyBackend()
    const server = new Server('calculator', { backend })
    const core = coreOf(server)
    expect(core.cluster).toBeUndefined()
    const lease = await server.start()
    const { id = '' } = core.cluster ?? {}
    expect(backend.keys()).toContain(`n.${id}`)
    await lease.release()
    expect(core.cluster).toBeUndefined()
    await backend.open()
    expect(backend.keys().filter((key) => key.includes(id))).toEqual([])
    const alone = new Server('calculator')
    const other = await alone.start()
    expect(coreOf(alone).cluster).toBeUndefined()
    await other.release()
  })
})
