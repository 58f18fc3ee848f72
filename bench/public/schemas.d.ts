/** An object of 30 properties. */
export const trip: object
