import { lazy } from 'react'

/** The list of activities for a tab: its code, with that of lists, comes when the tab is opened. */
export const Activities = lazy(() => import('./activity-list.tsx').then((module) => ({ default: module.ActivityList })))
