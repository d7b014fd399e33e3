import { fetched } from '#web/lib/code.ts'

/** The list of activities for a tab: its code, with that of lists, comes when the tab is opened. */
export const Activities = fetched(() => import('./activity-list.tsx').then((module) => module.ActivityList))
