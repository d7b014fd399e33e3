import type { EngineName } from './engines.ts'

/** Values in MB to choose PHP's memory limit from, ascending. */
export const memoryLimitsMb = ['64', '128', '256', '384'] as const
/** Values in MB to choose the largest upload from, ascending; each engine offers those up to its default. */
export const uploadLimitsMb = ['2', '8', '16', '32', '64', '100'] as const

const local = { memoryMb: 256, uploadMb: 64 } as const
/**
 * EasyEngine's nginx takes 100 MB, in front of all sites and in each of them (`client_max_body_size` of EasyEngine/dockerfiles,
 * nginx-proxy/nginx.conf, and of main.conf.mustache of EasyEngine/site-type-wp). A second one beside it in `user.conf` is refused by nginx.
 */
const onServers = { ...local, uploadMb: 100 } as const

/** Limits of a site that nobody changed. */
export const defaultPhpLimits = (engine: EngineName | null | undefined): { memoryMb: number; uploadMb: number } =>
  engine === 'ee' ? onServers : local

/** Values of `uploadLimitsMb` that an engine has for its sites. */
export const uploadLimitsOf = (engine: EngineName | null | undefined): readonly string[] =>
  uploadLimitsMb.filter((mb) => Number(mb) <= defaultPhpLimits(engine).uploadMb)

/** Whether a number of MB is one of the values above. */
export function isPhpLimit(choices: readonly string[], value: unknown): value is number {
  return typeof value === 'number' && choices.includes(String(value))
}
