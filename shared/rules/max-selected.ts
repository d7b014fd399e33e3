/**
 * Most rows of a list that can be selected at once, and thus the most sites of one bulk run. What has no bulk run takes a request
 * for each row, and a user has 600 of those per minute: more would take longer than anyone waits.
 */
export const maxSelected = 2000
