// The capabilities that each side declares.
import type { JSONObject } from './json.ts'

/** Declared in `initialize` by the legacy revisions, and with every request since 2026-07-28. */
export interface ClientCapabilities {
  /** Capabilities outside the specification, by name. */
  experimental?: { [name: string]: JSONObject }
  /**
   * The client can list the folders that the server may work in.
   * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
   */
  roots?: RootsCapability
  /**
   * An empty object allows neither tools nor context.
   * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
   */
  sampling?: SamplingCapability
  /** Since 2025-06-18. An empty object means forms only. */
  elicitation?: ElicitationCapability
  /** 2025-11-25 only. */
  tasks?: {
    /** The client answers `tasks/list`. */
    list?: JSONObject
    /** The client answers `tasks/cancel`. */
    cancel?: JSONObject
    /** The requests that the server may send as tasks. */
    requests?: {
      /** Sampling can be a task. */
      sampling?: {
        /** `sampling/createMessage` can be a task. */
        createMessage?: JSONObject
      }
      /** Elicitation can be a task. */
      elicitation?: {
        /** `elicitation/create` can be a task. */
        create?: JSONObject
      }
    }
  }
  /** Settings of each extension by its identifier; since 2026-07-28, though earlier peers may send it too. */
  extensions?: { [identifier: string]: JSONObject }
}

/**
 * Declares that the client can list roots.
 * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
 */
export type RootsCapability = {
  /** Until 2025-11-25. */
  listChanged?: boolean
}

/**
 * Declares that the client can have a model write a message.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingCapability = {
  /** Allows `includeContext` other than `none`; since 2025-11-25. */
  context?: SamplingContextCapability
  /** Allows `tools` and `toolChoice`; since 2025-11-25. */
  tools?: SamplingToolsCapability
}

/**
 * Declares `includeContext` of sampling. An empty object.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingContextCapability = JSONObject

/**
 * Declares tools in sampling. An empty object.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingToolsCapability = JSONObject

/** Declares that the client can ask its user. An empty object means forms. */
export type ElicitationCapability = {
  /** Since 2025-11-25. */
  form?: FormElicitationCapability
  /** Since 2025-11-25. */
  url?: UrlElicitationCapability
}

/** Declares questions by a form. An empty object. */
export type FormElicitationCapability = JSONObject

/** Declares questions by a web page. An empty object. */
export type UrlElicitationCapability = JSONObject

/** Declared in the result of `initialize`, or of `server/discover` since 2026-07-28. */
export interface ServerCapabilities {
  /** Capabilities outside the specification, by name. */
  experimental?: { [name: string]: JSONObject }
  /**
   * The server sends log messages.
   * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
   */
  logging?: LoggingCapability
  /** Since 2025-03-26. */
  completions?: CompletionsCapability
  /** The server has prompts. */
  prompts?: PromptsCapability
  /** The server has resources. */
  resources?: ResourcesCapability
  /** The server has tools. */
  tools?: ToolsCapability
  /** 2025-11-25 only. */
  tasks?: {
    /** The server answers `tasks/list`. */
    list?: JSONObject
    /** The server answers `tasks/cancel`. */
    cancel?: JSONObject
    /** The requests that the client may send as tasks. */
    requests?: {
      /** Tool calls can be tasks. */
      tools?: {
        /** `tools/call` can be a task. */
        call?: JSONObject
      }
    }
  }
  /** Settings of each extension by its identifier; since 2026-07-28, though earlier peers may send it too. */
  extensions?: { [identifier: string]: JSONObject }
}

/**
 * Declares log messages. An empty object.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export type LoggingCapability = JSONObject

/** Declares completion of arguments. An empty object. */
export type CompletionsCapability = JSONObject

/** Declares prompts. */
export type PromptsCapability = {
  /** The server announces when its list of prompts changes. */
  listChanged?: boolean
}

/** Declares resources. */
export type ResourcesCapability = {
  /** Single resources can be watched. */
  subscribe?: boolean
  /** The server announces when its list of resources changes. */
  listChanged?: boolean
}

/** Declares tools. */
export type ToolsCapability = {
  /** The server announces when its list of tools changes. */
  listChanged?: boolean
}
