// mcpwire/extensions/apps: HTML views for tools, and what hosts need to show them.
export { apps } from '../../extensions/apps/apps.ts'
export { AppHost } from '../../extensions/apps/host/app-host.ts'
export type {
  AppHostOptions,
  ViewCallOptions,
  ViewFile,
  ViewServer,
  ViewToolCall,
} from '../../extensions/apps/host/host-options.ts'
export { type MountOptions, mountView, type ViewFrame } from '../../extensions/apps/host/mount-view.ts'
export { allowOf, policyOf } from '../../extensions/apps/host/policy.ts'
export { type ReadViewOptions, readView, type View, type ViewSource } from '../../extensions/apps/host/read-view.ts'
export {
  type SandboxPage,
  type SandboxPageOptions,
  sandboxPage,
  sandboxUrl,
} from '../../extensions/apps/host/sandbox-page.ts'
export { mayCall, modelTools, uiOf } from '../../extensions/apps/host/tools.ts'
export {
  type OwnWindow,
  type PeerWindow,
  type WindowChannelOptions,
  type WindowMessage,
  windowChannel,
} from '../../extensions/apps/host/window-channel.ts'
export type { AppHandle, AppOptions, UiOption } from '../../mcpserver/extensions/app-options.ts'
export type {
  AppCapabilities,
  AppsClientSettings,
  ContentKinds,
  DisplayMode,
  HostCapabilities,
  HostContext,
  ModelContext,
  ToolAudience,
  ToolUi,
  ViewDownload,
  ViewMessage,
  ViewMeta,
  ViewPermissions,
  ViewPolicy,
  ViewSize,
} from '../../types/extensions/apps.ts'
