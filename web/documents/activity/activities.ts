import { lazy } from 'react'

/** Lazy list of activities for a tab; its code and that of lists loads when the tab is opened. */
export const Activities = lazy(() => import('./activity-list.tsx').then((module) => ({ default: module.ActivityList })))
