import { laterModule } from '../later-module.tsx'

/** Menus, dialogs and what else appears above the page: with their library a tenth of what a first view would load. */
export const layers = laterModule(() => import('./layers/layers.ts'))
