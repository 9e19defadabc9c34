package io.firn.server.config;

/**
 * A setting as a flag of {@code firn serve}.
 *
 * @param name the flag, such as {@code --limits-idle}
 * @param form what a value looks like
 * @param help the purpose of the setting
 * @param isSwitch whether it is on or off, so that the flag needs no value
 * @param isProminent whether the help shows it
 */
public record Flag(String name, String form, String help, boolean isSwitch, boolean isProminent) {}
