"use strict"

// Plays random games of a module of a "Rally the Troops" server, replays them, and prints the rates as JSON.
// node play.js CHECKOUT GAME COUNT

const path = require("node:path")
const { performance } = require("node:perf_hooks")

const MOST_ACTIONS = 10000

const [checkout, game, count] = process.argv.slice(2)
const rules = require(path.resolve(checkout, "public", game, "rules.js"))
const scenarios = Object.values(rules.scenarios).flat().filter(name => !name.startsWith("Random"))

/** Return a source of numbers below a limit; the same seed gives the same numbers. */
function chance(seed) {
	return limit => {
		seed = (seed * 200105) % 34359738337
		return seed % limit
	}
}

function roles(scenario) {
	return typeof rules.roles === "function" ? rules.roles(scenario, {}) : rules.roles
}

/** Return the roles that are asked; none when the game is over. */
function asked(state, scenario) {
	if (Array.isArray(state.active))
		return state.active
	if (state.active === "Both" || state.active === "All")
		return roles(scenario)
	const over = state.active === undefined || state.active === null || state.active === "None" || state.active === -1
	return over ? [] : [ state.active ]
}

function options(view) {
	const found = []
	for (const [ verb, what ] of Object.entries(view.actions ?? {})) {
		if (verb === "undo" || verb === "ping")
			continue
		if (Array.isArray(what))
			found.push(...what.map(noun => [ verb, noun ]))
		else if (what)
			found.push([ verb, undefined ])
	}
	return found
}

/** Return a random game as a list of actions; it ends early where the module falls over. */
function play(seed) {
	const pick = chance(seed)
	const scenario = scenarios[pick(scenarios.length)]
	const actions = []
	let state = rules.setup(seed, scenario, {})
	for (let who; actions.length < MOST_ACTIONS && (who = asked(state, scenario)).length > 0;) {
		const role = who[pick(who.length)]
		const choices = options(rules.view(state, role))
		if (choices.length === 0)
			break
		const [ verb, noun ] = choices[pick(choices.length)]
		try {
			state = rules.action(state, role, verb, noun)
		} catch (error) {
			break
		}
		actions.push([ role, verb, noun ])
	}
	return { seed, scenario, actions }
}

function replay({ seed, scenario, actions }) {
	let state = rules.setup(seed, scenario, {})
	for (const [ role, verb, noun ] of actions)
		state = rules.action(state, role, verb, noun)
}

/** Return what the calls gave and the seconds that they took. */
function timed(calls) {
	const began = performance.now()
	const results = calls.map(call => call())
	return [ results, (performance.now() - began) / 1000 ]
}

const seeds = Array.from({ length: Number(count) }, (_, number) => 1000 + number)
play(1)
const [ games, playing ] = timed(seeds.map(seed => () => play(seed)))
const [ , replaying ] = timed(games.map(each => () => replay(each)))
const actions = games.reduce((sum, each) => sum + each.actions.length, 0)
console.log(JSON.stringify({ actions, random_play: actions / playing, replay: actions / replaying }))
