import { describe, expect, it, vi } from 'vitest'
import * as failures from '../../../../src/types/errors/failures.ts'

const {
  ConnectError,
  InputRequiredRoundsExceededError,
  InvalidResultError,
  LimitError,
  ListenNotSupportedError,
  OAuthError,
  SubscriptionLost,
  ToolError,
  TransportError,
  UnexpectedClaimedResult,
} = failures

const ONE_OF_EACH: Record<keyof typeof failures, Error> = {
  InvalidResultError: new InvalidResultError('The result does not fit', 'content[0].text'),
  TransportError: new TransportError('The server answered with status 503', { status: 503 }),
  ConnectError: new ConnectError('Cannot connect', { target: 'https://x.example/mcp', phase: 'connect' }),
  LimitError: new LimitError('maxBodyBytes', 1024),
  ToolError: new ToolError('No such book'),
  UnexpectedClaimedResult: new UnexpectedClaimedResult('task', { taskId: '1' }),
  InputRequiredRoundsExceededError: new InputRequiredRoundsExceededError(10),
  ListenNotSupportedError: new ListenNotSupportedError('2025-11-25'),
  SubscriptionLost: new SubscriptionLost('The connection closed'),
  OAuthError: new OAuthError('invalid_grant', 'The token was refused'),
}

describe.each(Object.entries(ONE_OF_EACH))('%s', (name, failure) => {
  it('is an Error with its own name', () => {
    expect(failure).toBeInstanceOf(Error)
    expect(failure.name).toBe(name)
    expect(failure.message).not.toBe('')
  })

  it('F212 is recognised by another copy of the package, as that class and its parents only', async () => {
    vi.resetModules()
    const copy = await import('../../../../src/types/errors/failures.ts')
    const recognised = Object.entries(copy).filter(([, theirs]) => failure instanceof theirs)
    const parents = name === 'ConnectError' ? ['TransportError'] : []
    expect(recognised.map(([theirName]) => theirName).sort()).toEqual([name, ...parents].sort())
    expect(Object.values(failures)).not.toContain(recognised[0]?.[1])
  })
})

describe('what failures carry', () => {
  it('names the limit and its value, and nothing of what exceeded it', () => {
    const error = new LimitError('maxBodyBytes', 1024)
    expect(error).toMatchObject({ limit: 'maxBodyBytes', max: 1024 })
    expect(error.message).toBe('Limit reached: maxBodyBytes is at most 1024')
    expect(new LimitError('depth', 64, 'Too deep').message).toBe('Too deep')
  })

  it('holds the place of a misfit, and the whole answer where no place is given', () => {
    expect(new InvalidResultError('m', 'tools[3].name').path).toBe('tools[3].name')
    expect(new InvalidResultError('m').path).toBe('')
  })

  it('tells how a child process ended', () => {
    const cause = new Error('spawn')
    const error = new TransportError('m', { exitCode: 3, signal: 'SIGTERM', stderr: ['last words'], cause })
    expect(error).toMatchObject({ exitCode: 3, signal: 'SIGTERM', stderr: ['last words'], status: undefined, cause })
    expect(new TransportError('m').stderr).toEqual([])
    expect('cause' in new TransportError('m')).toBe(false)
  })

  it('hands over a claimed result to whoever can finish it', () => {
    const result = { resultType: 'task', taskId: '1' }
    const error = new UnexpectedClaimedResult('task', result)
    expect(error.result).toBe(result)
    expect(error.message).toContain('allowClaimed')
  })

  it('says what to do instead', () => {
    expect(new ListenNotSupportedError('2025-06-18').message).toContain('neither listChanged nor subscribe')
    expect(new InputRequiredRoundsExceededError(3).message).toContain('inputRequiredMaxRounds')
  })

  it('keeps the code of the RFC', () => {
    expect(new OAuthError('invalid_grant', 'm')).toMatchObject({ code: 'invalid_grant', message: 'm' })
  })
})
