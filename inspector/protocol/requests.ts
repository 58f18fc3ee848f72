// The requests of the page, by path: what it sends, and what it gets back.
import type { CallKind, ListKind, ViewPermission } from './state.ts'

export interface ConnectRequest {
  /** As typed: a URL, a file, a command, or the name of a configured server. */
  target: string
  mode?: string
  headers?: readonly { name: string; value: string }[]
  /** For a target that starts a program, after the user agreed: the question of the answer before, and the page's second secret. */
  confirm?: { question: string; key: string }
}

/** The program that would be started. Nothing has been started. */
export interface Confirmation {
  /** The program and each of its arguments. */
  words: readonly string[]
  cwd?: string
  /** The names of the variables that it gets beside the usual ones. */
  env: readonly string[]
  /** Works once, for the page that asked and for exactly this program. */
  question: string
}

export interface Requests {
  connect: { body: ConnectRequest; answer: { connection: string } | { confirmation: Confirmation } }
  disconnect: { body: { connection: string }; answer: object }
  reconnect: { body: { connection: string }; answer: object }
  list: {
    body: { connection: string; kind: ListKind; cursor?: string }
    answer: { items: readonly Record<string, unknown>[]; nextCursor?: string; version: number }
  }
  call: {
    body: { connection: string; kind: CallKind; name: string; args?: Record<string, unknown>; asTask?: boolean }
    answer: { call: string }
  }
  cancel: { body: { call: string }; answer: object }
  complete: {
    body: {
      connection: string
      ref: Record<string, unknown>
      argument: { name: string; value: string }
      context?: Record<string, string>
    }
    answer: { values: readonly string[]; total?: number; hasMore?: boolean }
  }
  listen: { body: { connection: string; uri: string }; answer: object }
  unlisten: { body: { connection: string; uri: string }; answer: object }
  answer: {
    body: { question: string; answer: Record<string, unknown>; always?: boolean }
    answer: object
  }
  task: {
    body: { connection: string; id: string; action: 'get' | 'cancel' | 'result' }
    answer: { state?: Record<string, unknown>; call?: string }
  }
  validate: {
    body: { schema: unknown; value: unknown }
    answer: { issues: readonly { path: readonly (string | number)[]; message: string }[] }
  }
  save: { body: { connection: string; tool: string; args: Record<string, unknown> }; answer: object }
  forget: { body: { saved: string }; answer: object }
  'forget-answer': { body: { id: string }; answer: object }
  claims: { body: { connection: string }; answer: { claims?: Record<string, unknown> } }
  view: {
    body: {
      connection: string
      tool: string
      call?: string
      theme: 'light' | 'dark'
      /** What the user allows the view. */
      permissions?: readonly ViewPermission[]
    }
    answer: { view: string } | { asks: readonly ViewPermission[] }
  }
  'view-message': { body: { view: string; message: unknown }; answer: object }
  'view-context': { body: { view: string; context: Record<string, unknown> }; answer: object }
  'view-close': { body: { view: string }; answer: object }
}

export type RequestName = keyof Requests

/** The answer to a request that failed. */
export interface Refusal {
  error: { message: string; fix?: string }
}
