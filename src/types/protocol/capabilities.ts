// The capabilities that each side declares.
import type { JSONObject } from './json.ts'

/** Declared in `initialize` by the legacy revisions, and with every request since 2026-07-28. */
export interface ClientCapabilities {
  /** Capabilities outside the specification, by name. */
  experimental?: { [name: string]: JSONObject }
  /** @deprecated Roots are deprecated since 2026-07-28. */
  roots?: RootsCapability
  /**
   * An empty object allows neither tools nor context.
   * @deprecated Sampling is deprecated since 2026-07-28.
   */
  sampling?: SamplingCapability
  /** Since 2025-06-18. An empty object means forms only. */
  elicitation?: ElicitationCapability
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

/** @deprecated Roots are deprecated since 2026-07-28. */
export type RootsCapability = {
  /** Until 2025-11-25. */
  listChanged?: boolean
}

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type SamplingCapability = {
  /** Allows `includeContext` other than `none`; since 2025-11-25. */
  context?: SamplingContextCapability
  /** Allows `tools` and `toolChoice`; since 2025-11-25. */
  tools?: SamplingToolsCapability
}

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type SamplingContextCapability = JSONObject

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type SamplingToolsCapability = JSONObject

export type ElicitationCapability = {
  /** Since 2025-11-25. */
  form?: FormElicitationCapability
  /** Since 2025-11-25. */
  url?: UrlElicitationCapability
}

export type FormElicitationCapability = JSONObject

export type UrlElicitationCapability = JSONObject

/** Declared in the result of `initialize`, or of `server/discover` since 2026-07-28. */
export interface ServerCapabilities {
  /** Capabilities outside the specification, by name. */
  experimental?: { [name: string]: JSONObject }
  /** @deprecated Logging is deprecated since 2026-07-28. */
  logging?: LoggingCapability
  /** Since 2025-03-26. */
  completions?: CompletionsCapability
  prompts?: PromptsCapability
  resources?: ResourcesCapability
  tools?: ToolsCapability
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

/** @deprecated Logging is deprecated since 2026-07-28. */
export type LoggingCapability = JSONObject

export type CompletionsCapability = JSONObject

export type PromptsCapability = {
  listChanged?: boolean
}

export type ResourcesCapability = {
  /** Single resources can be watched. */
  subscribe?: boolean
  listChanged?: boolean
}

export type ToolsCapability = {
  listChanged?: boolean
}
