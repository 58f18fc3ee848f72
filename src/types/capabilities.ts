// What each side says it can do.
import type { JSONObject } from './json.ts'

/** Declared in `initialize` by the legacy revisions, and with every request since 2026-07-28. */
export interface ClientCapabilities {
  /** Capabilities outside the specification, by name. */
  experimental?: { [name: string]: JSONObject }
  /** @deprecated Roots are deprecated since 2026-07-28. */
  roots?: {
    /** Until 2025-11-25. */
    listChanged?: boolean
  }
  /**
   * An empty object allows neither tools nor context.
   * @deprecated Sampling is deprecated since 2026-07-28.
   */
  sampling?: {
    /** Allows `includeContext` other than `none`; since 2025-11-25. */
    context?: JSONObject
    /** Allows `tools` and `toolChoice`; since 2025-11-25. */
    tools?: JSONObject
  }
  /** Since 2025-06-18. An empty object means forms only. */
  elicitation?: {
    /** Since 2025-11-25. */
    form?: JSONObject
    /** Since 2025-11-25. */
    url?: JSONObject
  }
  /** 2025-11-25 only. */
  tasks?: {
    list?: JSONObject
    cancel?: JSONObject
    /** The requests that the server may send as tasks. */
    requests?: {
      sampling?: { createMessage?: JSONObject }
      elicitation?: { create?: JSONObject }
    }
  }
  /** Settings of each extension by its identifier; since 2026-07-28, though earlier peers may send it too. */
  extensions?: { [identifier: string]: JSONObject }
}

/** Declared in the result of `initialize`, or of `server/discover` since 2026-07-28. */
export interface ServerCapabilities {
  /** Capabilities outside the specification, by name. */
  experimental?: { [name: string]: JSONObject }
  /** @deprecated Logging is deprecated since 2026-07-28. */
  logging?: JSONObject
  /** Since 2025-03-26. */
  completions?: JSONObject
  prompts?: {
    listChanged?: boolean
  }
  resources?: {
    /** Single resources can be watched. */
    subscribe?: boolean
    listChanged?: boolean
  }
  tools?: {
    listChanged?: boolean
  }
  /** 2025-11-25 only. */
  tasks?: {
    list?: JSONObject
    cancel?: JSONObject
    /** The requests that the client may send as tasks. */
    requests?: {
      tools?: { call?: JSONObject }
    }
  }
  /** Settings of each extension by its identifier; since 2026-07-28, though earlier peers may send it too. */
  extensions?: { [identifier: string]: JSONObject }
}
